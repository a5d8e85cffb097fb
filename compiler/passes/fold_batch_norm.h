// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folds batch normalization into the convolution before it.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces bn(conv(x, w) + b) by conv(x, w') + b' where w [M, C, R, S], b [M] and bn's parameters are float32
/// constants and only bn reads the convolution: w' = w * g, b' = (b - mean) * g + beta, g = gamma / sqrt(variance +
/// epsilon). Without a bias, b is 0. Weights that are quantized already stay, and so does their batch normalization.
Graph fold_batch_norm(const Graph& graph);

}  // namespace fovea
