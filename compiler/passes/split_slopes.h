// SPDX-License-Identifier: Apache-2.0
/// \file
/// Leaky ReLU between a quantized product and its quantize, as the larger of two such products.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// quantize(leaky_relu(conv(x, w))), as training-aware exports have it, is the larger of quantize(conv(x, w)) and
/// quantize(alpha * conv(x, w)), as quantization keeps the order: two layers on integers and their maximum, where one
/// of float32 would be. The same for PRelu, with one slope or one a filter; biases, batch normalization and factors may
/// stand behind the product, max-pools and clips before the quantize. Slopes are above 0 and up to 1. Run after
/// settle_signs and before fold_affine, which makes scales of weights of the slopes.
Graph split_slopes(const Graph& graph);

}  // namespace fovea
