// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates calls whose inputs are all constants.
#include "fold_constants.h"

#include <algorithm>

#include "ir/evaluate.h"
#include "layout.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "rewrite.h"

namespace fovea {

Graph fold_constants(const Graph& graph) {
  ConstantBudget budget;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kConstant) {
      budget.add_given(node);
    }
  }
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    const auto is_constant = [&](NodeId input) { return builder[input].kind == NodeKind::kConstant; };
    const bool is_shape = is_call(node, "shape_of");
    if (is_move(node) && is_call(builder[inputs[0]], "qnn.dequantize") && is_parameter(builder.so_far(), inputs[0])) {
      budget.add_computed(node, {builder[builder[inputs[0]].inputs[0]].constant.get()});
      return std::optional(add_move(builder, inputs[0], node));
    }
    if (node.kind != NodeKind::kCall || is_call(node, "qnn.dequantize") || is_call(node, "unsupported") ||
        is_call(node, "extern") || (!is_shape && !std::all_of(inputs.begin(), inputs.end(), is_constant))) {
      return std::optional<NodeId>();
    }
    if (is_shape) {
      return std::optional<NodeId>(builder.constant(evaluate_shape(builder[inputs[0]].type.shape), node.origin));
    }
    std::vector<const Tensor*> values;
    for (const NodeId input : inputs) {
      values.push_back(builder[input].constant.get());
    }
    budget.add_computed(node, values);
    return std::optional<NodeId>(builder.constant(node.op->evaluate(node, values), node.origin));
  });
}

}  // namespace fovea
