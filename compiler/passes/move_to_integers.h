// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves operators that only move numbers, or compare them, from float32 to integers.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces op(dequantize(q)) by dequantize(op(q)) where op moves elements or is nn.max_pool2d, and all of q has one
/// scale. A max-pool also needs the scale to be positive; its padding, which counts for nothing, stays so. What a pad
/// fills with must be what some integer stands for. Any other pad, and what repeats elements, follows a quantize of one
/// scale that reads it. Run first: constant folding and pattern matching rely on it.
Graph move_to_integers(const Graph& graph);

}  // namespace fovea
