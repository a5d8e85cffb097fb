// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea build: compiles a network into the cache and says where, for scripts that read what is there.
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "common/backend.h"
#include "compiler/command_line.h"
#include "compiler/number_text.h"
#include "run_options.h"
#include "store/compiled_network.h"
#include "subcommand.h"

namespace fovea {
namespace {

struct Options {
  std::filesystem::path model;
  std::string backend = backend_names().front();
  bool prints_layers = false;
  CommandParser building{"fovea"};
};

/// What foveac said of the layers, and the files.
void print_layers(const std::filesystem::path& folder) {
  std::cout << layers_text(folder);
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    rows.push_back({"  " + file.path().filename().string(), with_commas(file.file_size()) + " bytes"});
  }
  std::sort(rows.begin(), rows.end());
  print_columns(rows, std::cout, "l");
}

}  // namespace

Action describe_build(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_model_option(app, o->model);
  add_backend_option(app, o->backend);
  o->building.add_building(app);
  app.add_flag("--layers", o->prints_layers, "Print the layers, where each runs, and the files instead of the folder");
  return [o] {
    CommandLine line = o->building.building();
    line.model = o->model;
    line.target = o->backend == "cpu" ? "cpu" : "dla";
    const std::filesystem::path folder = compiled_network(line, say_line);
    if (o->prints_layers) {
      print_layers(folder);
    } else {
      std::cout << folder.string() << "\n";
    }
    return 0;
  };
}

}  // namespace fovea
