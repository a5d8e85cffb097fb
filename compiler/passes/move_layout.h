// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gets rid of reshapes and transposes.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Leaves as few bytes transposed as it can, then as few reshapes and transposes, then as few bytes reshaped:
/// - moves in a row become one, and none where together they change nothing; a transpose that moves axes of size 1 only
///   becomes a reshape; moves of constants are done here;
/// - a transpose before the reshape before a fully connected layer goes into the layer's weights, its columns permuted;
/// - elementwise operators, and transposed concatenations, that stand together take another layout where that saves
///   moves at their borders. Such are relu, clip, cast, quantize, dequantize, bias_add and add;
/// - what is dequantized and then moved is moved and then dequantized, also where others read it as it is.
/// A graph where nothing can be saved stays as it is. Run after fold_constants and remove_redundant_qdq.
Graph move_layout(const Graph& graph);

}  // namespace fovea
