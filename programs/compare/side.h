// SPDX-License-Identifier: Apache-2.0
/// \file
/// One side of a comparison: what each layer gave, and the network behind it where that is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/quantization.h"
#include "layers/layer.h"
#include "tensor/tensor.h"

namespace fovea {

/// How a layer's output may be recognized elsewhere, and what its numbers stand for.
struct LayerNotes {
  std::vector<std::string> nodes;  ///< ONNX nodes that give it, the surest first.
  std::vector<std::string> names;  ///< What else it may be called; none where its node is known for sure.
  std::optional<Quantization> quantization;
};

/// A compiled network, read back.
struct NetworkNotes {
  Network network;
  std::vector<LayerNotes> layers;  ///< Of network.layers, in order.
  dla_rounding rounding = kDlaNearestEven;
};

/// A tensor that a layer gave.
struct LayerValue {
  std::string name;
  LayerNotes notes;
  Tensor values;                     ///< Without the batch.
  std::optional<std::size_t> layer;  ///< Place among the network's layers.
};

struct Side {
  std::string label;
  std::vector<LayerValue> values;               ///< In the order in which they were made.
  std::shared_ptr<const NetworkNotes> network;  ///< Null of a dump.
  std::vector<Tensor> inputs;                   ///< Of the network, float32; none of a dump.
};

/// A shape without a batch of 1 in front, as layers' tensors are shown: [1, C, H, W] is [C, H, W]; a number is [1].
Shape without_batch(const Shape& shape);

/// "[64, 16, 16]".
std::string shape_text(const Shape& shape);

}  // namespace fovea
