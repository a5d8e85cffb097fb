// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the compiler's summary.
#include "network_summary.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace fovea {

NetworkSummary read_summary(const CompiledNetwork& network) {
  std::ifstream file(network.folder() / (std::string(network.model().name) + ".json"));
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  NetworkSummary summary;
  if (json.is_object()) {
    summary.predicted_cycles = json.value("predicted_cycles", uint64_t{0});
    for (const nlohmann::json& layer : json.value("layers", nlohmann::json::array())) {
      summary.macs += layer.value("macs", uint64_t{0});
      if (layer.contains("host_bytes")) {
        summary.on_host.push_back({layer.value("name", ""), layer.value("composite", ""), layer.value("reason", ""),
                                   layer.value("macs", uint64_t{0}), layer.value("host_bytes", uint64_t{0})});
      }
    }
  }
  return summary;
}

}  // namespace fovea
