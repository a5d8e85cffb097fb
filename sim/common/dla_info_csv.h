// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes dla_info.csv: one row a layer, in the columns that sim/spec/dla.json names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/dla_counters.h"
#include "spec/dla_layer.h"
#include "spec/machine_json.h"

namespace fovea {

/// What the compiler says of a layer on the CPU, or on a target that a user has added.
struct CpuWork {
  uint64_t macs = 0, bytes = 0;  ///< Multiplied; moved.
  std::string target = "cpu";
  uint64_t cycles = 0;  ///< Of an added target; 0: unknown.

  bool is_cpu() const { return target == "cpu"; }
};

/// One layer that has run.
struct LayerInfo {
  std::string operation;  ///< Name of the composite.
  std::string name;       ///< Name of the layer.
  dla_layer command{};
  uint32_t predicted_cycles = 0;  ///< 0: no prediction.
  dla_counters counters{};
  uint32_t list = 0;  ///< Which of the run's lists it was in, from 1 on; 0: it had a START of its own.
  std::optional<CpuWork> on_cpu = std::nullopt;  ///< Of a layer that the CPU ran; it has no command and no counters.
};

/// What a layer read from DRAM: of ifmap, filters and residual.
uint64_t dram_read_bytes(const dla_counters& counters);

/// Multiplications that the layer needs.
uint64_t macs_of(const LayerInfo& layer);

/// What it took in cycles of the accelerator's clock: what the device or an added target counted, or what the machine's
/// declared CPU takes.
uint64_t cycles_of(const LayerInfo& layer, const MachineFile& machine);

/// What MACs / (cycles * PEs) says; 0 for 0 cycles.
double mac_utilization(const LayerInfo& layer, const dla_machine& machine);

/// Where the figures of a run come from.
struct RunInfo {
  std::string backend, dram;
  MachineFile machine;
};

/// Columns and cells of one layer, in the specification's order. Of a layer on the CPU the backend is "cpu", of one on
/// an added target that; and cells that say something of the device are empty.
std::vector<std::pair<std::string_view, std::string>> dla_info_cells(const RunInfo& run, const LayerInfo& layer);

/// The whole file as text, header first.
std::string format_dla_info(const RunInfo& run, const std::vector<LayerInfo>& layers);

/// Writes the file in one piece (PartialFile). Folders are made.
/// \throws std::runtime_error that names the path and the cause.
void write_dla_info(const std::filesystem::path& path, const RunInfo& run, const std::vector<LayerInfo>& layers);

}  // namespace fovea
