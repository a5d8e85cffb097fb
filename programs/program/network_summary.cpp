// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the compiler's summary.
#include "network_summary.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace fovea {
namespace {

using Json = nlohmann::json;

/// A number of an object in objects; 0 where it is not there.
uint64_t number_at(const Json& json, const char* path) {
  const Json::json_pointer place(path);
  return json.contains(place) && json[place].is_number_unsigned() ? json[place].get<uint64_t>() : 0;
}

ArrayAccesses array_accesses(const Json& call) {
  return {number_at(call, "/accesses/mac"), number_at(call, "/accesses/spad/ifmap"),
          number_at(call, "/accesses/pe/ifmap"), number_at(call, "/accesses/pe/filter"),
          number_at(call, "/accesses/pe/psum")};
}

}  // namespace

NetworkSummary read_summary(const CompiledNetwork& network) {
  std::ifstream file(network.folder() / (std::string(network.model().name) + ".json"));
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  NetworkSummary summary;
  if (json.is_object()) {
    summary.batch = json.value("batch", uint64_t{1});
    summary.predicted_cycles = json.value("predicted_cycles", uint64_t{0});
    for (const nlohmann::json& layer : json.value("layers", nlohmann::json::array())) {
      summary.macs += layer.value("macs", uint64_t{0});
      for (const Json& call : layer.value("calls", Json::array())) {
        summary.in_array[call.value("name", "")] = array_accesses(call);
      }
      if (layer.contains("host_bytes")) {
        summary.on_host.push_back({layer.value("name", ""), layer.value("composite", ""), layer.value("reason", ""),
                                   layer.value("macs", uint64_t{0}), layer.value("host_bytes", uint64_t{0})});
      }
    }
  }
  return summary;
}

}  // namespace fovea
