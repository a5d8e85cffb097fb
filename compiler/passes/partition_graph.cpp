// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects each region's composites and calls the region where its last one stood.
#include "partition_graph.h"

#include <map>
#include <string>

#include "rewrite.h"

namespace fovea {
namespace {

std::string region_of(const Node& node) { return node.kind == NodeKind::kFunction ? node.function->region : ""; }

/// Composites by region, in the order that they run.
std::map<std::string, std::vector<NodeId>> collect_regions(const Graph& graph) {
  std::map<std::string, std::vector<NodeId>> regions;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!region_of(graph[id]).empty()) {
      regions[region_of(graph[id])].push_back(id);
    }
  }
  return regions;
}

/// A region of composites in a row, each with the one before it as its first input.
Function make_region(const Graph& graph, const std::vector<NodeId>& members) {
  GraphBuilder builder;
  const Node& first = graph[members.front()];
  std::vector<NodeId> inputs;
  for (const NodeId input : first.inputs) {
    inputs.push_back(builder.input(graph[input].origin, graph[input].type));
  }
  for (const NodeId id : members) {
    inputs = {builder.copy(graph[id], inputs)};
  }
  Function region;
  region.name = first.function->region;
  region.is_region = true;
  region.target = first.function->target;
  region.body = builder.finish(inputs);
  return region;
}

}  // namespace

Graph partition_graph(const Graph& graph) {
  const auto regions = collect_regions(graph);
  std::vector<std::vector<NodeId>> region_inputs(graph.size());
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const auto found = regions.find(region_of(graph[id]));
    if (found == regions.end()) {
      return std::optional<NodeId>();
    }
    const std::vector<NodeId>& members = found->second;
    const bool is_first = id == members.front();
    region_inputs[id] = is_first ? inputs : region_inputs[graph[id].inputs[0]];
    if (id != members.back()) {
      return std::optional<NodeId>(region_inputs[id].at(0));
    }
    return std::optional<NodeId>(builder.call(make_region(graph, members), region_inputs[id]));
  });
}

}  // namespace fovea
