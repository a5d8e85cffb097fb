// SPDX-License-Identifier: Apache-2.0
/// \file
/// A quantized product, and the operators behind it that scale or move its filters.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// A product whose weights are int8 around 0, one scale or one a filter, of a dequantized value; and the steps behind
/// it, the first of them first: each a bias, a batch normalization, or a sum, difference, product or quotient with a
/// constant, one number or one a filter.
struct AffineChain {
  NodeId product = 0;
  std::vector<NodeId> steps;
};

/// The chain that ends with a value, each before it read by the next alone; nothing where none does.
std::optional<AffineChain> find_affine_chain(const Graph& graph, NodeId end);

/// Place of the value that a step computes from a product's; nothing where the operator is no step.
std::optional<std::size_t> affine_value(const Graph& graph, const Node& node);

/// A constant that an operator reads beside a value, one number or one a filter; null where it is another.
/// \param place  Of the value among the two inputs.
std::shared_ptr<const Tensor> operand_a_filter(const Graph& graph, const Node& node, std::size_t place);

}  // namespace fovea
