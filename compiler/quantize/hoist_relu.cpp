// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows what makes a sum to its only reader, and on.
#include "hoist_relu.h"

#include "ops/operator.h"
#include "passes/rewrite.h"

namespace fovea {
namespace {

/// Whether each number of its result is one of its input's, the largest of some or one elsewhere.
bool only_picks(const Node& node) {
  return is_call(node, "nn.max_pool2d") || is_call(node, "reshape") || is_call(node, "transpose") ||
         is_call(node, "strided_slice");
}

bool is_sum(const Node& node) {
  return is_product(node) || is_call(node, "nn.bias_add") || is_call(node, "add") || is_call(node, "subtract");
}

/// The ReLU or clip behind what only picks of a sum; nothing where there is none, or where it reads the sum itself.
std::optional<NodeId> find_relu(const Graph& graph, NodeId sum) {
  NodeId id = sum;
  while (graph.is_read_once(id)) {
    const NodeId reader = graph.users()[id][0];
    if (is_call(graph[reader], "nn.relu") || is_call(graph[reader], "clip")) {
      return id == sum ? std::nullopt : std::optional(reader);
    }
    if (!only_picks(graph[reader])) {
      break;
    }
    id = reader;
  }
  return std::nullopt;
}

}  // namespace

Graph hoist_relu(const Graph& graph) {
  std::vector<bool> is_hoisted(graph.size());
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    if (is_hoisted[id]) {
      return std::optional(inputs[0]);
    }
    const auto relu = is_sum(graph[id]) ? find_relu(graph, id) : std::nullopt;
    if (!relu) {
      return std::optional<NodeId>();
    }
    is_hoisted[*relu] = true;
    const NodeId sum = builder.copy(graph[id], inputs);
    return std::optional(builder.call(graph[*relu].op->name, {sum}, graph[*relu].attributes, graph[*relu].origin));
  });
}

}  // namespace fovea
