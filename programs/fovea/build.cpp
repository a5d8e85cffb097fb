// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea build: compiles a network into the cache and says where, for scripts that read what is there.
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "backend_option.h"
#include "commands/number_text.h"
#include "commands/options.h"
#include "common/backend.h"
#include "files/made_files.h"
#include "spec/json_file.h"
#include "store/compiled_network.h"
#include "subcommand.h"

namespace fovea {
namespace {

struct BuildOptions {
  NetworkRequest network;
  std::string backend = backend_names().front();
  bool prints_layers = false, prints_json = false;
};

/// Names and bytes, in the order of the names; without the list of them.
std::map<std::string, std::uintmax_t> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::uintmax_t> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().filename() != kMadeFiles) {
      files.emplace(file.path().filename().string(), file.file_size());
    }
  }
  return files;
}

/// What foveac said of the layers, and the files.
void print_layers(const std::filesystem::path& folder) {
  std::cout << layers_text(folder);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, bytes] : files_of(folder)) {
    rows.push_back({"  " + name, with_commas(bytes) + " bytes"});
  }
  print_columns(rows, std::cout, "l");
}

/// The folder, all that <network>.json says, and the files.
void print_json(const std::filesystem::path& folder, const std::string& network) {
  std::ifstream summary(folder / (network + ".json"));
  nlohmann::ordered_json json = {{"folder", folder.string()}};
  json.update(nlohmann::ordered_json::parse(summary));
  for (const auto& [name, bytes] : files_of(folder)) {
    json["files"].push_back({{"name", name}, {"bytes", bytes}});
  }
  std::cout << json_text(json);
}

}  // namespace

Action describe_build(CLI::App& app) {
  const auto o = std::make_shared<BuildOptions>();
  add_model_option(app, o->network.model)->required();
  add_backend_option(app, "--backend", o->backend, "the simulator, or the CPU");
  add_building_options(app, o->network);
  add_records_dram_option(app, o->network.placement);
  app.add_flag("--layers", o->prints_layers, "Print the layers, where each runs, and the files instead of the folder");
  app.add_flag("--json", o->prints_json, "Print one JSON document: the folder, the network's layers, and the files");
  return [o] {
    NetworkRequest network = settled(o->network);
    network.placement.target = o->backend == "cpu" ? "cpu" : "dla";
    const std::filesystem::path folder = compiled_network(network, say_line);
    if (o->prints_json) {
      print_json(folder, network.name());
    } else if (o->prints_layers) {
      print_layers(folder);
    } else {
      std::cout << folder.string() << "\n";
    }
    return 0;
  };
}

}  // namespace fovea
