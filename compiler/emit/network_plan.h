// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything that emitted code states as a number: where each tensor and constant lies, and how each layer is mapped.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emit.h"
#include "tensor_places.h"

namespace fovea {

struct NetworkPlan {
  const Network* network = nullptr;
  std::vector<PlannedLayer> layers;
  std::vector<ArenaBuffer> buffers;
  std::uint64_t arena_bytes = 0, naive_arena_bytes = 0;
  std::uint64_t alignment = 0;  ///< Of each tensor and constant: alignment_of() the targets.
  WeightFile weights;
  std::string target = "cpu";                ///< The one that layers are planned for; "cpu" where no other has any.
  Cpu cpu;                                   ///< What the C is built for.
  std::string machine, mapping_mode;         ///< Of that target; "" where it has none.
  std::vector<std::string> headers;          ///< That the calls need.
  nlohmann::ordered_json on_chip;            ///< Of the target that keeps tensors: Target::on_chip().
  std::map<std::string, std::string> files;  ///< The targets' own, by name: Target::files().
  std::uint32_t model_key = 0;  ///< CRC-32 of "<model>|<machine>|<layout>"; the layout names mappings and payload.
};

/// Pictures of a batch: the first dimension that all inputs and outputs have; 1 where it is none.
std::int64_t count_pictures(const Network& network);

/// Plans a network. \throws UserError where memory does not hold it, or an output depends on no layer.
NetworkPlan plan_network(const Network& network, const EmitOptions& options);

}  // namespace fovea
