// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantization written out as elementwise operators, for what is no activation of the runtime's.
#pragma once

#include <string>

#include "graph.h"

namespace fovea {

/// Scales and zero points, both float32, in a shape that is broadcast to the tensor's.
struct QuantizationSteps {
  Tensor scale, zero_point;
};

/// One scale and zero point, or one for each index of `axis`, or with a block size one for so many elements along it.
/// UserError, beginning with `owner`, where they are not as many as `x` needs.
/// \param scale, zero_point  As ONNX has them. \param x  Shape of what they are of. \param block_size  0: no blocks.
QuantizationSteps spread_quantization(const Tensor& scale, const Tensor& zero_point, const Shape& x, int64_t axis,
                                      int64_t block_size, const std::string& owner);

/// cast(clip(round(x / scale) + zero_point)), as ONNX Runtime computes it: integers of `element` from `least` to
/// `most`.
NodeId add_quantize_steps(GraphBuilder& builder, NodeId x, const QuantizationSteps& steps, ElementType element,
                          int64_t least, int64_t most, const std::string& origin);

/// (q - zero_point) * scale, in float32. \pre integers less their zero points are within 2^24, or zero points are 0.
NodeId add_dequantize_steps(GraphBuilder& builder, NodeId q, const QuantizationSteps& steps, const std::string& origin);

}  // namespace fovea
