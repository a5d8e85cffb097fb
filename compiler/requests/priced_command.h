// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a command takes with a memory, and its row in a database of results.
#pragma once

#include <cstdint>
#include <string>

#include "mapping/mapper.h"
#include "results/result_store.h"
#include "targets/dla/residency.h"

namespace fovea {

/// Another number after each change to what predictions, searches or passes say of any layer: what databases have of
/// another one is not taken.
inline constexpr int kModelVersion = 3;

/// What one command takes with a memory.
struct PricedCommand {
  ShapeChoice choice;               ///< Of a known one, the plan has cost.cycles and the mapping only.
  std::uint64_t search_cycles = 0;  ///< With the machine's memory: what layers are fused and mapped by.
  CyclesByCause causes;             ///< With the memory asked for, as is all below.
  std::uint64_t cycles = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;  ///< Of DRAM.
  double energy = 0;                              ///< In 16-bit MACs.
};

/// \param choice  Of a Mapper for that machine.
PricedCommand price_command(const MachineFile& machine, const DramPreset& dram, const ShapeChoice& choice);

/// The same of a layer that runs beside tensors on chip: of all its slices, where it has some.
/// \param machine  With the GLB that is left.
PricedCommand price_beside(const MachineFile& machine, const DramPreset& dram, const ShapeChoice& choice,
                           const LayerResidency& where);

/// What rows of a goal on a machine with a memory are of.
ResultKey result_key(const ResultMachine& machine, const DramPreset& dram, const Goal& goal);

/// The columns of `layers` behind ResultKey's: what was asked for, and what that takes.
SqlRow row_of(const std::string& asked, const PricedCommand& command);

/// The other way. \throws nlohmann::json::exception, JsonError, std::bad_variant_access or std::out_of_range where the
/// row is none.
PricedCommand command_of(const SqlRow& row);

}  // namespace fovea
