// SPDX-License-Identifier: Apache-2.0
/// \file
/// Weights of nine bits as sums of int8 ones.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Weights of 8 bits less their zero point may be anything from -255 to 255, and those of 16 bits may be no more. Where
/// such weights are no int8 around 0, they become the sum of two or three that are, each for channels of its own. The
/// input's channels are there as often: sum_c x[c] * (a[c] + b[c]) is a sum over twice the channels. Exact, with twice
/// the products. For convolutions and fully connected layers between dequantize and quantize; others are float32
/// anyway. Run after settle_signs, and before what wants int8 weights.
Graph split_weights(const Graph& graph);

}  // namespace fovea
