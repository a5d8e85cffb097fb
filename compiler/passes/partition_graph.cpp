// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects each region's composites and calls the region where its last one stood.
#include "partition_graph.h"

#include <algorithm>
#include <map>
#include <string>

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

/// A region, and what its composites read from outside, each once.
struct Region {
  Function function;
  std::vector<NodeId> arguments;
};

Region make_region(const Graph& graph, const std::vector<NodeId>& members) {
  GraphBuilder builder;
  Region region;
  std::map<NodeId, NodeId> places;
  for (const NodeId member : members) {
    for (const NodeId input : graph[member].inputs) {
      const bool is_inside = std::find(members.begin(), members.end(), input) != members.end();
      if (!is_inside && places.count(input) == 0) {
        places[input] = builder.input(graph[input].origin, graph[input].type);
        region.arguments.push_back(input);
      }
    }
  }
  for (const NodeId member : members) {
    std::vector<NodeId> inputs;
    for (const NodeId input : graph[member].inputs) {
      inputs.push_back(places.at(input));
    }
    places[member] = builder.copy(graph[member], std::move(inputs));
  }
  const Function& first = *graph[members.front()].function;
  region.function.name = first.region;
  region.function.is_region = true;
  region.function.target = first.target;
  region.function.body = builder.finish({places.at(members.back())});
  return region;
}

}  // namespace

Graph partition_graph(const Graph& graph) {
  const auto regions = collect_regions(graph);
  GraphBuilder builder;
  std::vector<NodeId> places(graph.size());
  const auto places_of = [&](const std::vector<NodeId>& ids) {
    std::vector<NodeId> result;
    for (const NodeId id : ids) {
      result.push_back(places[id]);
    }
    return result;
  };
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto found = regions.find(region_of(graph[id]));
    if (found == regions.end()) {
      places[id] = builder.copy(graph[id], places_of(graph[id].inputs));
    } else if (id == found->second.back()) {
      Region region = make_region(graph, found->second);
      places[id] = builder.call(std::move(region.function), places_of(region.arguments));
    }
  }
  return builder.finish(places_of(graph.outputs()), graph.output_names());
}

}  // namespace fovea
