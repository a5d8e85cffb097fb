// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves max-pools to where the accelerator has them: behind a convolution's quantize, and before a join.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces max_pool2d(quantize(concatenate(dequantize(q), ...))) by quantize(concatenate(dequantize(max_pool2d(q)),
/// ...)) where channels are joined, each q is a quantized convolution that can end with the pool, and nothing else
/// reads any of them; and quantize(max_pool2d(x)) by max_pool2d(quantize(x)) where x is a convolution that can't. The
/// same bit for bit: quantizing keeps the order of numbers. Run on integers, before composites.
Graph place_pools(const Graph& graph);

}  // namespace fovea
