// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes float32 numbers of what enters and leaves a network as integers or bool.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// A network's inputs and outputs are float32: 8-bit integers become the numbers that they are, quantized and
/// dequantized at scale 1 and zero point 0; bool becomes 0 and 1, and what is not 0 true; inputs of int32 and int64 are
/// whole numbers, of which float32 has all up to 2^24.
Graph float_ends(const Graph& graph);

}  // namespace fovea
