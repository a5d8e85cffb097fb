// SPDX-License-Identifier: Apache-2.0
/// \file
/// Turns cells of dla_info.csv into JSON.
#include "device_json.h"

#include <nlohmann/json.hpp>

#include "spec/json_file.h"

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

std::string add_device(const std::string& answer, const DeviceRun& run) {
  const RunInfo& info = run.info;
  Json device = {{"backend", info.backend}, {"machine", info.machine.name}, {"dram", info.dram}};
  for (const auto& [name, value] : run.conditions) {
    device["conditions"][name] = value;
  }
  device["runs"] = run.runs;
  device["pictures"] = run.pictures;
  uint64_t cycles = 0;
  Json rows = Json::array();
  for (const LayerInfo& layer : run.layers) {
    if (layer.on_cpu) {
      continue;
    }
    cycles += layer.counters.cycles;
    Json row;
    for (const auto& [column, cell] : dla_info_cells(info, layer)) {
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
  return json_text(whole);
}

std::string add_cpu(const std::string& answer, const DeviceRun& run) {
  const MachineFile& machine = run.info.machine;
  uint64_t on_cpu = 0, all = 0;
  Json rows = Json::array(), targets = Json::object();
  for (const LayerInfo& layer : run.layers) {
    const uint64_t cycles = cycles_of(layer, machine);
    all += cycles;
    if (layer.on_cpu && !layer.on_cpu->is_cpu()) {
      Json& target = targets.emplace(layer.on_cpu->target, Json{{"cycles", 0}}).first.value();
      target["cycles"] = target["cycles"].get<uint64_t>() + cycles;
      target["layers"].push_back({{"layer", layer.name},
                                  {"operation", layer.operation},
                                  {"macs", layer.on_cpu->macs},
                                  {"bytes", layer.on_cpu->bytes},
                                  {"cycles", cycles}});
    } else if (layer.on_cpu) {
      on_cpu += cycles;
      rows.push_back({{"layer", layer.name},
                      {"operation", layer.operation},
                      {"macs", layer.on_cpu->macs},
                      {"bytes", layer.on_cpu->bytes},
                      {"cycles", cycles}});
    }
  }
  Json whole = Json::parse(answer);
  whole["cpu"] = {{"name", machine.cpu.name},
                  {"clock_mhz", machine.cpu.clock_mhz},
                  {"cycles_per_mac", machine.cpu.cycles_per_mac},
                  {"cycles_per_byte", machine.cpu.cycles_per_byte},
                  {"cycles", on_cpu},
                  {"layers", std::move(rows)}};
  if (!targets.empty()) {
    whole["targets"] = std::move(targets);
  }
  whole["all"] = {{"cycles", all},
                  {"milliseconds", static_cast<double>(all) / machine.clock_mhz / 1000},
                  {"cpu_share", all == 0 ? 0 : static_cast<double>(on_cpu) / static_cast<double>(all)}};
  Json& figures = whole["all"];
  figures["frames_per_second"] = run.figures.frames_per_second;
  figures["gops"] = run.figures.gops;
  const std::pair<const char*, const std::optional<double>&> more[] = {{"energy_pj", run.figures.energy_pj},
                                                                       {"gops_per_watt", run.figures.gops_per_watt},
                                                                       {"area_mm2", run.figures.area_mm2},
                                                                       {"tops_per_mm2", run.figures.tops_per_mm2}};
  for (const auto& [name, number] : more) {
    if (number) {
      figures[name] = *number;
    }
  }
  return json_text(whole);
}

std::string add_host(const std::string& answer, const HostTimes& times) {
  Json rows = Json::array();
  for (const auto& [layer, seconds] : times.medians()) {
    rows.push_back({{"layer", layer}, {"seconds", seconds}});
  }
  Json whole = Json::parse(answer);
  whole["host"] = {{"runs", times.runs()}, {"layers", std::move(rows)}};
  return json_text(whole);
}

}  // namespace fovea
