// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conversions of what is no activation of the runtime's, as elementwise operators.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Writes qnn.quantize and qnn.dequantize as what they compute, divide, round, add, clip and cast, or cast, subtract
/// and multiply, unless they are of uint8 with one scale and zero point: int8 that settle_signs() left, int32, and
/// those with a scale a channel. So operators around them are computed in float32 on the CPU, as in ONNX Runtime.
/// Parameters, which are dequantized constants, stay, and so does what is no scale. Run after settle_signs.
Graph lower_conversions(const Graph& graph);

}  // namespace fovea
