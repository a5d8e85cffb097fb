// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes dla_info.csv: one row a device layer, in the columns that sim/spec/dla.json names.
#ifndef FOVEA_SIM_COMMON_DLA_INFO_CSV_H_
#define FOVEA_SIM_COMMON_DLA_INFO_CSV_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/dla_counters.h"
#include "spec/dla_layer.h"
#include "spec/machine_json.h"

namespace fovea {

/// One layer that has run.
struct LayerInfo {
  std::string operation;  ///< Name of the composite.
  std::string name;       ///< Name of the layer.
  dla_layer command{};
  uint32_t predicted_cycles = 0;  ///< 0: no prediction.
  dla_counters counters{};
  uint32_t list = 0;  ///< Which of the run's lists it was in, from 1 on; 0: it had a START of its own.
};

/// What a layer read from DRAM: of ifmap, filters and residual.
uint64_t dram_read_bytes(const dla_counters& counters);

/// What MACs / (cycles * PEs) says; 0 for 0 cycles.
double mac_utilization(const LayerInfo& layer, const dla_machine& machine);

/// Where the figures of a run come from.
struct RunInfo {
  std::string backend, dram;
  MachineFile machine;
};

/// Columns and cells of one layer, in the specification's order.
std::vector<std::pair<std::string_view, std::string>> dla_info_cells(const RunInfo& run, const LayerInfo& layer);

/// The whole file as text, header first.
std::string format_dla_info(const RunInfo& run, const std::vector<LayerInfo>& layers);

/// Writes the file in one piece (PartialFile). Folders are made.
/// \throws std::runtime_error that names the path and the cause.
void write_dla_info(const std::filesystem::path& path, const RunInfo& run, const std::vector<LayerInfo>& layers);

}  // namespace fovea

#endif  // FOVEA_SIM_COMMON_DLA_INFO_CSV_H_
