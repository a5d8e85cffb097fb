// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea trace and fovea waves: fovea run, with the file that is wanted of it in front.
#include <iostream>
#include <memory>

#include "run_options.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// \param file  The member of DeviceOptions that is written.
Action describe_run_for(CLI::App& app, std::filesystem::path DeviceOptions::*file, const std::string& what) {
  const auto o = std::make_shared<RunOptions>();
  add_run_options(app, *o);
  app.add_option("-o,--output", o->device.*file, what)->type_name("FILE")->required();
  return [o, file, &app] {
    if (o->device.backend == "cpu") {
      throw UsageError("--backend cpu: only the accelerator is traced; take systemc or rtl");
    }
    prepare_run(app, *o);
    run_on_device(o->program, o->device);
    if (!o->program.quiet && !o->program.json) {
      std::cout << "written to " << (o->device.*file).string() << "\n";
    }
    return 0;
  };
}

}  // namespace

Action describe_trace(CLI::App& app) {
  return describe_run_for(app, &DeviceOptions::trace, "Where to: JSON, for ui.perfetto.dev");
}

Action describe_waves(CLI::App& app) {
  Action action =
      describe_run_for(app, &DeviceOptions::vcd, "Where to: .vcd, or with the RTL .fst; a GTKWave save file beside it");
  for (const char* window : {"--vcd-layer", "--vcd-from", "--vcd-cycles", "--vcd-trigger"}) {
    app.get_option(window)->remove_needs(app.get_option("--vcd"));  // --output is the file.
  }
  return action;
}

}  // namespace fovea
