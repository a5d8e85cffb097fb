// SPDX-License-Identifier: Apache-2.0
/// \file
/// Brings products of matrices to the accelerator, which convolves.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Makes x [..., T, C] times quantized weights [C, M] a convolution by 1x1 filters whose pixels are the rows of x, all
/// of them in one picture: y = conv2d([1, C, H, W], [M, C, 1, 1]), H * W rows, between the moves that this takes. Of a
/// single row it is an nn.dense. Rows that are pictures [N, C, H, W], as behind a batch's convolutions, lie under each
/// other, a window each: y = conv2d([1, C, N H, W], [M, C, H, W]). A sum with one constant a column becomes its
/// nn.bias_add. What follows element by element, quantization too, stays in the layout of pixels, so that between one
/// product and the next nothing moves.
/// Products by float32 weights, which nothing quantizes, stay. Run before move_to_integers.
Graph tokens_to_pixels(const Graph& graph);

/// The same of products by constants of float32, in a network that is to be quantized. Run after fold_constants.
Graph float_tokens_to_pixels(const Graph& graph);

}  // namespace fovea
