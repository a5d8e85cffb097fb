// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gives 8-bit integers one form: activations uint8, weights int8 around 0.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Turns int8 activations into uint8 ones: 128 is added to values and zero points, from the qnn.quantize that makes
/// them, through what moves, joins, compares or clips them, to the qnn.dequantize that read them; constants that are
/// activations included. Integers that something else makes or reads, or that enter or leave the network, stay.
/// Weights, the constants dequantized for a convolution or a fully connected layer, become int8 with zero point 0 where
/// all of w - zero_point fits: uint8 ones with zero point 128 always do, those of 4 bits too, int32 ones may. Biases
/// stay. Run after fold_constants and remove_redundant_casts.
Graph settle_signs(const Graph& graph);

}  // namespace fovea
