// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads schedules.
#include "schedules.h"

#include "files/read_file.h"
#include "layers/layer_kind.h"
#include "spec/json_file.h"
#include "tensor/error.h"

namespace fovea {

NestTraces read_schedules(const std::filesystem::path& file) {
  if (file.empty()) {
    return {};
  }
  try {
    return nlohmann::json::parse(read_file(file, "a file of schedules")).get<NestTraces>();
  } catch (const nlohmann::json::exception&) {
    user_error(file.string() + R"(: no file of schedules; {"layer": ["tile i1 8"]} is one)");
  }
}

void check_schedules(const std::filesystem::path& file, const Network& network) {
  std::string names;
  NestTraces unknown = read_schedules(file);
  for (const Layer& layer : network.layers) {
    if (layer.target == "cpu" && layer.kind->host_loops != nullptr) {
      unknown.erase(layer.name);
      names += (names.empty() ? "" : ", ") + layer.name;
    }
  }
  if (!unknown.empty()) {
    user_error(file.string() + ": no loops on the CPU are called \"" + unknown.begin()->first + "\"; " +
               (names.empty() ? "this network has none" : "there are " + names));
  }
}

}  // namespace fovea
