// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which values of a float network become integers, and which of them share a scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "options.h"

namespace fovea {

/// A node and the value that it makes.
struct NodePlan {
  bool is_on_integers = false;  ///< Computed from quantized values.
  bool is_inner = false;        ///< Its value goes into the one node that reads it and is never quantized.
  /// Where the value is quantized: which of the scales it has.
  std::optional<std::size_t> scale;
};

/// An operator that stays float, and why.
struct FloatNode {
  NodeId id;
  std::string why;
};

struct QuantizationPlan {
  std::vector<NodePlan> nodes;  ///< As many as the graph's.
  std::size_t scales = 0;
  std::vector<FloatNode> floats;
};

/// Convolutions and fully connected layers of constant weights are computed on integers; then what reads their results
/// and has integers to compute on: sums, pools, joins, functions of one number. A bias, and a ReLU or clip, belong to
/// what they read where nothing else reads it. What only moves or compares values keeps their scale, and so do the
/// parts of a join. What is_elementwise() computes in a row of one
/// quantized value and numbers, as clip(x + 3, 0, 6), is quantized at its end only: together it is one table. \pre The
/// graph is simplified; no call of "unsupported". UserError where `options.kept` or `options.only` names no node, or
/// where nothing is left to quantize.
QuantizationPlan plan_quantization(const Graph& graph, const QuantizeOptions& options);

/// The product, before its bias if there is one, that ends with a node; nothing where none does.
std::optional<NodeId> product_ending_at(const Graph& graph, const QuantizationPlan& plan, NodeId id);

/// The nodes that are computed together up to the value that a node makes: it, and those of inner values before it, in
/// their order.
std::vector<NodeId> parts_of(const Graph& graph, const QuantizationPlan& plan, NodeId id);

/// Inputs of a node that are activations: not weights, indices or a bias. Places among node.inputs.
std::vector<std::size_t> activation_inputs(const Node& node);

}  // namespace fovea
