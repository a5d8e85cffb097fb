// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales and offsets a filter, folded into the quantized convolution or fully connected layer before them.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// quantize(... bn(conv(x, w) / d) ...), as training-aware exports have it, is one of conv(x, w') + b': batch
/// normalization and sums, differences, products and quotients with a constant, one a filter or one in all. The
/// integers of w stay, or are negated, and their scales are multiplied; b' is float32. So the layer is on integers,
/// where ONNX Runtime computes float32: an output may be one step apart where b' is rounded to the products' scale. For
/// int8 weights around 0 whose product is quantized again; of others fold_batch_norm() takes care. Run after
/// settle_signs.
Graph fold_affine(const Graph& graph);

}  // namespace fovea
