// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said of a network's plan: which tensors stay on chip, which layers run depth first, and what that saves.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "layers/layer.h"
#include "mapping/mapper.h"

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

/// The steps of the accelerator's layers, in their order, as `--residency chip` plans them.
std::vector<PlanStep> plan_steps(const Network& network, Mapper& mapper);

/// A row for each step, and the sums.
void print_plan(const std::vector<PlanStep>& steps, std::ostream& out);

/// The same as an array: "layers", "slices", "on_chip_bytes", "cycles", "dram_bytes", "cycles_alone",
/// "dram_bytes_alone", "binds".
nlohmann::ordered_json plan_json(const std::vector<PlanStep>& steps);

}  // namespace fovea
