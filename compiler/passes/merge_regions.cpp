// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows rows of composites in the order that they run.
#include "merge_regions.h"

#include "rewrite.h"

namespace fovea {
namespace {

bool is_placed_composite(const Node& node) {
  return node.kind == NodeKind::kFunction && !node.function->is_region && !node.function->target.empty();
}

/// The composite before `id` in its region, or nothing where a region begins.
std::optional<NodeId> find_predecessor(const Graph& graph, NodeId id, const std::vector<std::vector<NodeId>>& users) {
  for (const NodeId input : graph[id].inputs) {
    if (is_placed_composite(graph[input]) && graph[input].function->target == graph[id].function->target &&
        users[input].size() == 1 && !graph.is_output(input)) {
      return input;
    }
  }
  return std::nullopt;
}

}  // namespace

Graph merge_regions(const Graph& graph) {
  const auto& users = graph.users();
  std::vector<std::string> regions(graph.size());
  std::size_t next = 0;
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_placed_composite(node)) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    const std::optional<NodeId> predecessor = find_predecessor(graph, id, users);
    regions[id] = predecessor ? regions[*predecessor] : composite.target + "_region_" + std::to_string(next++);
    composite.region = regions[id];
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
