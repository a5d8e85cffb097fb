// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales and zero points of qnn.quantize and qnn.dequantize calls, read and checked.
#ifndef FOVEA_COMPILER_IR_QDQ_H_
#define FOVEA_COMPILER_IR_QDQ_H_

#include <memory>
#include <vector>

#include "composite.h"
#include "graph.h"

namespace fovea {

/// What a qnn.quantize or qnn.dequantize call says about its integer side.
struct QdqParameters {
  ElementType element = ElementType::kUint8;
  std::vector<float> scales;         ///< One, or one for each index of an axis.
  std::vector<int64_t> zero_points;  ///< As many.

  bool operator==(const QdqParameters&) const = default;
};

/// Tensor of a node that depends on constants only, shared where the node is a constant; null otherwise.
std::shared_ptr<const Tensor> constant_value(const Graph& graph, NodeId id);

/// Reads the parameters of a qnn.quantize or qnn.dequantize call. UserError where they are not constants.
QdqParameters read_qdq(const Graph& graph, const Node& call);

/// log2 of the one scale of a call. UserError, naming the call, where it is not a power of two from 2^-126 to 2^126, or
/// where the scales of a tensor differ.
int read_scale_log2(const Graph& graph, const Node& call);

/// Quantization of an activation. UserError where it is not uint8 with one power-of-two scale.
Quantization read_activation(const Graph& graph, const Node& call);

/// Checks that all zero points of a weight (int8) or bias (int32) are 0, and the element type. UserError where not.
void check_symmetric(const Graph& graph, const Node& call, ElementType element, const char* what);

}  // namespace fovea

#endif  // FOVEA_COMPILER_IR_QDQ_H_
