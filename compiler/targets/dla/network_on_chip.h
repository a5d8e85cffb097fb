// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a residency plan comes to: which tensors stay on chip, which layers run depth first, and what that saves.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "residency.h"

namespace fovea {

/// A layer, or several that run depth first.
struct PlanStep {
  std::vector<std::string> layers;
  std::size_t slices = 0;                                ///< 0 of a layer that runs whole.
  std::uint64_t on_chip = 0;                             ///< Bytes of the GLB that tensors on chip take while it runs.
  std::uint64_t cycles = 0, dram_bytes = 0;              ///< Predicted.
  std::uint64_t cycles_alone = 0, dram_bytes_alone = 0;  ///< The same where all tensors are in DRAM.
  std::string binds;                                     ///< What most of its cycles go to.
};

/// A tensor that is nowhere but on chip.
struct PlanTensor {
  std::string name;
  std::string first, last;                 ///< Layers: it lives from the first one's begin to the last one's end.
  std::uint32_t rows = 0, plane_rows = 0;  ///< Of the tensor; and of its planes, fewer of a ring.
  std::uint64_t begin = 0, end = 0;        ///< Bytes of the GLB, of all columns of banks.
  std::size_t readers = 0;                 ///< Layers; twice where one reads it as ifmap and as residual.
  std::uint64_t bytes = 0;                 ///< Of all its rows.
  std::uint64_t saved = 0;                 ///< Of DRAM: it would be written once, and read once by each reader.
};

/// What a plan makes of a network.
struct NetworkOnChip {
  std::vector<PlanStep> steps;      ///< Of the accelerator's layers, in their order.
  std::vector<PlanTensor> tensors;  ///< In the order in which layers write them.
};

/// Predicts what the network takes by the plan, and without it. \pre The plan is the mapper's.
NetworkOnChip describe_plan(const Network& network, const ResidencyPlan& plan, Mapper& mapper);

/// "steps", each with "layers", "slices", "on_chip_bytes", "cycles", "dram_bytes", "cycles_alone", "dram_bytes_alone"
/// and "binds"; and "tensors", each with "name", "first", "last", "rows", "plane_rows", "begin", "end", "readers",
/// "bytes" and "saved".
nlohmann::ordered_json plan_json(const NetworkOnChip& plan);

}  // namespace fovea
