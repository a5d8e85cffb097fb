// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes float32 numbers of what enters and leaves a network as 8-bit integers.
#ifndef FOVEA_COMPILER_ONNX_FLOAT_ENDS_H_
#define FOVEA_COMPILER_ONNX_FLOAT_ENDS_H_

#include "ir/graph.h"

namespace fovea {

/// A network's inputs and outputs are float32: 8-bit integers become the numbers that they are, quantized and
/// dequantized at scale 1 and zero point 0.
Graph float_ends(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_ONNX_FLOAT_ENDS_H_
