// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exchanges dequantize and the operator that reads it.
#include "move_to_integers.h"

#include "ir/operator.h"
#include "ir/quantization.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// Whether `call` gives the same, dequantized before or after.
bool commutes_with(const Graph& graph, const Node& dequantize, const Node& call) {
  const bool only_moves = is_call(call, "reshape") || is_call(call, "transpose");
  if (!only_moves && !is_call(call, "nn.max_pool2d")) {
    return false;
  }
  if (!has_constant_quantization(graph, dequantize)) {
    return false;
  }
  const Quantization from = read_quantization(graph, dequantize);
  return from.scales.size() == 1 && (only_moves || from.scale() > 0);
}

}  // namespace

Graph move_to_integers(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (node.inputs.empty() || !is_call(builder[inputs[0]], "qnn.dequantize")) {
      return std::optional<NodeId>();
    }
    const Node dequantize = builder[inputs[0]];
    if (!commutes_with(builder.so_far(), dequantize, node)) {
      return std::optional<NodeId>();
    }
    const NodeId moved = builder.copy(node, {dequantize.inputs[0]});
    Node outer = dequantize;
    outer.attributes["axis"] = int64_t{0};
    return std::optional<NodeId>(builder.copy(outer, {moved, dequantize.inputs[1], dequantize.inputs[2]}));
  });
}

}  // namespace fovea
