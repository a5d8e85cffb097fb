// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows rows of composites in the order that they run.
#include "merge_regions.h"

#include "rewrite.h"

namespace fovea {
namespace {

bool is_placed_composite(const Node& node) {
  return node.kind == NodeKind::kFunction && !node.function->is_region && node.function->target.has_value();
}

/// Whether `id` can run in the region of the one value that it reads.
bool joins_input(const Graph& graph, NodeId id, const std::vector<std::vector<NodeId>>& users) {
  const Node& node = graph[id];
  if (node.inputs.size() != 1) {
    return false;
  }
  const NodeId input = node.inputs[0];
  return is_placed_composite(graph[input]) && graph[input].function->target == node.function->target &&
         users[input].size() == 1 && !graph.is_output(input);
}

}  // namespace

Graph merge_regions(const Graph& graph) {
  const auto users = graph.users();
  std::vector<std::string> regions(graph.size());
  std::size_t next = 0;
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_placed_composite(node)) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    regions[id] = joins_input(graph, id, users)
                      ? regions[node.inputs[0]]
                      : std::string(to_text(*composite.target)) + "_region_" + std::to_string(next++);
    composite.region = regions[id];
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
