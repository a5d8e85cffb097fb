// SPDX-License-Identifier: Apache-2.0
/// \file
/// Computes at compile time what depends on no input.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces calls of constants by constants; only qnn.dequantize stays, so that weights and biases stay integers: what
/// is reshaped or transposed behind it is so before.
/// shape_of is a constant whatever it reads, as every shape is known.
Graph fold_constants(const Graph& graph);

}  // namespace fovea
