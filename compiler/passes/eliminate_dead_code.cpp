// SPDX-License-Identifier: Apache-2.0
/// \file
/// Marks from the outputs backwards, then copies what is marked.
#include "eliminate_dead_code.h"

namespace fovea {
namespace {

std::vector<bool> mark_needed(const Graph& graph) {
  std::vector<bool> needed(graph.size());
  for (const NodeId output : graph.outputs()) {
    needed[output] = true;
  }
  for (NodeId id = graph.size(); id-- > 0;) {
    if (needed[id]) {
      for (const NodeId input : graph[id].inputs) {
        needed[input] = true;
      }
    }
    needed[id] = needed[id] || graph[id].kind == NodeKind::kInput;
  }
  return needed;
}

std::vector<NodeId> places_of(const std::vector<NodeId>& ids, const std::vector<NodeId>& places) {
  std::vector<NodeId> result;
  result.reserve(ids.size());
  for (const NodeId id : ids) {
    result.push_back(places[id]);
  }
  return result;
}

}  // namespace

Graph eliminate_dead_code(const Graph& graph) {
  const std::vector<bool> needed = mark_needed(graph);
  GraphBuilder builder;
  std::vector<NodeId> places(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (needed[id]) {
      places[id] = builder.copy(graph[id], places_of(graph[id].inputs, places));
    }
  }
  return builder.finish(places_of(graph.outputs(), places), graph.output_names());
}

}  // namespace fovea
