// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds regions from the outputs backwards, and numbers them in the order in which they run.
#include "merge_regions.h"

#include <algorithm>
#include <map>

#include "layers/fuse.h"
#include "rewrite.h"

namespace fovea {
namespace {

bool is_placed_composite(const Node& node) {
  return node.kind == NodeKind::kFunction && !node.function->is_region && !node.function->target.empty();
}

/// For each composite, the one whose result is its region's: itself, or that of all that read it.
std::vector<NodeId> find_ends(const Graph& graph) {
  std::vector<NodeId> ends(graph.size());
  for (NodeId id = graph.size(); id-- > 0;) {
    const std::vector<NodeId>& readers = graph.users()[id];
    ends[id] = id;
    if (!is_placed_composite(graph[id]) || graph.is_output(id) || readers.empty()) {
      continue;
    }
    const NodeId end = ends[readers[0]];
    const bool is_inner = std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return is_placed_composite(graph[reader]) && graph[reader].function->target == graph[id].function->target &&
             ends[reader] == end;
    });
    ends[id] = is_inner ? end : id;
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (is_placed_composite(graph[id]) && std::holds_alternative<View>(layer_of(*graph[id].function)->body)) {
      const NodeId viewed = graph[id].inputs.at(0);
      const bool is_part = size_bytes(graph[id].type) < size_bytes(graph[viewed].type) &&
                           is_placed_composite(graph[viewed]) &&
                           graph[viewed].function->target == graph[id].function->target;
      ends[id] = is_part ? ends[viewed] : ends[id];
    }
  }
  return ends;
}

}  // namespace

Graph merge_regions(const Graph& graph) {
  const std::vector<NodeId> ends = find_ends(graph);
  std::map<NodeId, std::size_t> numbers;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (is_placed_composite(graph[id]) && ends[id] == id) {
      numbers.emplace(id, numbers.size());
    }
  }
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_placed_composite(node)) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    composite.region = composite.target + "_region_" + std::to_string(numbers.at(ends[id]));
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
