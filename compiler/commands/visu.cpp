// SPDX-License-Identifier: Apache-2.0
/// \file
/// visu: draws a network.
#include <iostream>
#include <memory>

#include "command.h"
#include "options.h"
#include "requests/compile.h"

namespace fovea {

Action describe_visu(CLI::App& app) {
  struct Options {
    NetworkRequest network;
    std::filesystem::path folder = "output/visu";
    bool times_passes = false;
  };
  const auto o = std::make_shared<Options>();
  add_model_option(app, o->network.model)->required();
  add_import_options(app, o->network.import);
  app.add_option("-o,--output", o->folder, "Folder for the drawings (default: output/visu)")->type_name("FOLDER");
  add_placement_options(app, o->network.placement);
  add_pass_options(app, o->network.passes, o->times_passes, nullptr);
  return [o] {
    settle_passes(o->network.passes, o->times_passes, std::cout);
    return within_memory(o->network.model, [&] {
      draw(settled(o->network), o->folder);
      std::cout << "written: " << (o->folder / (o->network.name() + ".svg")).string() << ", and each graph alone\n";
      return kDone;
    });
  };
}

}  // namespace fovea
