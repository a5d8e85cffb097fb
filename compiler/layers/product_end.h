// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementwise operators on the results of a float product, which its kernel computes before it stores them:
/// add(hard_swish(conv2d(x, w)), y) is one layer, without a buffer between.
#pragma once

#include <string>
#include <vector>

#include "layer.h"
#include "patterns/pattern.h"

namespace fovea {

/// The calls from `root` down to an operator `product` with constant weights: elementwise ones on values of the
/// product's shape, of which only the next reads each, then relu?(bias_add?(product)), captured as "result", with its
/// parts as "relu", "bias" and "product". None where others read the result too, where what the operators read besides
/// is not of the results' shape, one a filter or one for all, or where a nest of their own is faster: of more than 1
/// MiB, or with choices such as leaky_relu's.
Calls product_end_calls(const Graph& graph, NodeId root, const std::string& product);

/// What such calls compute of the results. \param inputs  Gets the values that are read besides, in order.
ProductEnd make_product_end(const Match& match, NodeId root, std::vector<NodeId>& inputs);

/// The loops as C: `static void run_<name>(inputs, m, first, count, x, y)`, as struct dla_float_end has it.
std::string product_end_text(const ProductEnd& end, const std::string& name);

}  // namespace fovea
