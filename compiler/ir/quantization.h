// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantization as a type: how integers stand for real numbers, read off the graph once and carried to the emitted
/// code.
#pragma once

#include <memory>
#include <vector>

#include "graph.h"

namespace fovea {

/// Integer to real: (q - zero_point) * scale, one scale for the whole tensor or one for each index of an axis.
struct Quantization {
  ElementType element = ElementType::kUint8;
  std::vector<float> scales;         ///< One, or one for each index of `axis`.
  std::vector<int64_t> zero_points;  ///< As many.
  int64_t axis = 0;                  ///< Of the tensor; 0 where there is one scale.

  bool operator==(const Quantization&) const = default;

  /// Whether all scales are one, and all zero points.
  bool is_per_tensor() const;
  /// Of a tensor with one scale. \pre is_per_tensor().
  float scale() const { return scales.at(0); }
  int64_t zero_point() const { return zero_points.at(0); }
};

/// A tensor quantized as a whole.
Quantization per_tensor(ElementType element, float scale, int64_t zero_point);

/// Tensor of a node that depends on constants only, shared where the node is a constant; null otherwise.
std::shared_ptr<const Tensor> constant_value(const Graph& graph, NodeId id);

/// Whether scale and zero point of a qnn.quantize or qnn.dequantize call are constants.
bool has_constant_quantization(const Graph& graph, const Node& call);

/// The integer side of a qnn.quantize or qnn.dequantize call. UserError where its parameters are not constants.
Quantization read_quantization(const Graph& graph, const Node& call);

bool is_power_of_two(float scale);

/// log2 of a scale, where it is a power of two.
int scale_log2(float scale);

/// An activation as the runtime takes it. UserError, naming the call, where it is not uint8 with one zero point and one
/// scale, positive and finite.
Quantization read_activation(const Graph& graph, const Node& call);

/// Whether there is one scale, or one for each index of axis 0 of a tensor of that rank: the filters'.
bool is_per_filter(const Quantization& quantization, std::size_t rank);

/// Of weights or biases. UserError where a scale is not positive and finite, or it is not is_per_filter(); equal scales
/// are read as one. \param what  "weights" or "biases".
Quantization read_parameter(const Graph& graph, const Node& call, const char* what);

/// Whether ONNX Runtime takes the integers of an int32 bias of that scale for steps of input scale times weight scale:
/// |given - product| <= 1e-6 + 0.01 * product. Elsewhere it computes in float32.
bool is_scale_of_products(float given, float product);

}  // namespace fovea
