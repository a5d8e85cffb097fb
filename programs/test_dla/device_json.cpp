// SPDX-License-Identifier: Apache-2.0
/// \file
/// Turns cells of dla_info.csv into JSON.
#include "device_json.h"

#include <nlohmann/json.hpp>

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const std::string& cell) {
  if (cell.empty()) {
    return nullptr;
  }
  const Json number = Json::parse(cell, nullptr, false);
  return number.is_number() ? number : Json(cell);
}

}  // namespace

std::string add_device(const std::string& answer, const RunInfo& run, const std::vector<LayerInfo>& layers) {
  Json device = {{"backend", run.backend}, {"machine", run.machine.name}, {"dram", run.dram}};
  uint64_t cycles = 0;
  Json rows = Json::array();
  for (const LayerInfo& layer : layers) {
    cycles += layer.counters.cycles;
    Json row;
    for (const auto& [column, cell] : dla_info_cells(run, layer)) {
      row[std::string(column)] = value_of(cell);
    }
    if (layer.list != 0) {
      row["list"] = layer.list;
    }
    rows.push_back(std::move(row));
  }
  device["cycles"] = cycles;
  device["layers"] = std::move(rows);
  Json whole = Json::parse(answer);
  whole["device"] = std::move(device);
  return whole.dump(1) + "\n";
}

std::string add_host(const std::string& answer, const HostTimes& times) {
  Json rows = Json::array();
  for (const auto& [layer, seconds] : times.medians()) {
    rows.push_back({{"layer", layer}, {"seconds", seconds}});
  }
  Json whole = Json::parse(answer);
  whole["host"] = {{"runs", times.runs()}, {"layers", std::move(rows)}};
  return whole.dump(1) + "\n";
}

}  // namespace fovea
