// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything that emitted code states as a number: where each tensor and constant lies, and how each layer is mapped.
#ifndef FOVEA_COMPILER_CODEGEN_NETWORK_PLAN_H_
#define FOVEA_COMPILER_CODEGEN_NETWORK_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "emit.h"
#include "memory_plan.h"
#include "weight_file.h"

namespace fovea {

/// Where a tensor lies.
enum class Memory { kArena, kHostInput, kHostOutput };

/// A tensor's bytes. Views (flatten) share the place of what they view.
struct TensorPlace {
  Memory memory = Memory::kArena;
  std::size_t buffer = 0;  ///< Place in NetworkPlan::buffers; kArena only.
};

/// A piece of the arena with the name that emitted code gives it.
struct ArenaBuffer {
  std::string name;  ///< Of the layer that writes it.
  Buffer life;
  std::uint64_t offset = 0;
};

/// One device call of a layer: its only one, or one group of a grouped convolution.
struct DeviceCall {
  std::string name;  ///< The layer's, or "conv2_group1" where it has several groups: a row of the CSV, a tensor.
  dla_shape shape{};
  PlannedMapping plan;
  bool is_recorded = false;                      ///< The mapping is a tuning record's.
  std::string filter;                            ///< Name of the filter stream in the weight file.
  std::uint64_t ifmap_skip = 0, ofmap_skip = 0;  ///< Bytes of the groups before it.
};

/// One layer: a view (no call), device calls, or one host call.
struct LayerPlan {
  const Layer* layer = nullptr;
  TensorPlace input, output;
  std::vector<DeviceCall> device_calls;
  std::string filter, bias;  ///< Names of a host call's constants; "" where it has none.

  bool is_view() const { return layer->kind == LayerKind::kFlatten; }
};

struct NetworkPlan {
  const Network* network = nullptr;
  std::vector<LayerPlan> layers;
  std::vector<ArenaBuffer> buffers;
  std::uint64_t arena_bytes = 0, naive_arena_bytes = 0;
  WeightFile weights;
  std::string machine;          ///< "" where no layer runs on the accelerator.
  std::uint32_t model_key = 0;  ///< CRC-32 of "<model>|<machine>|<layout>"; the layout names mappings and payload.
};

/// Plans a network. \throws UserError where 32 bits of memory don't hold it, or an output depends on no layer.
NetworkPlan plan_network(const Network& network, const EmitOptions& options);

/// Shape without the batch: [C, H, W] or [C].
std::vector<std::uint32_t> shape_without_batch(const TensorType& type);

}  // namespace fovea

#endif  // FOVEA_COMPILER_CODEGEN_NETWORK_PLAN_H_
