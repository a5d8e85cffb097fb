// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects each region's composites and calls the region where its last one stood.
#include "partition_graph.h"

#include <algorithm>
#include <map>
#include <string>

#include "ir/results.h"

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

/// The composites of a region whose values are read outside, or are outputs; of none of them the last.
std::vector<NodeId> find_results(const Graph& graph, const std::vector<NodeId>& members) {
  const std::string name = region_of(graph[members.front()]);
  std::vector<NodeId> results;
  std::ranges::copy_if(members, std::back_inserter(results), [&](NodeId id) {
    return graph.is_output(id) ||
           std::ranges::any_of(graph.users()[id], [&](NodeId user) { return region_of(graph[user]) != name; });
  });
  return results.empty() ? std::vector<NodeId>{members.back()} : results;
}

Region make_region(const Graph& graph, const std::vector<NodeId>& members, const std::vector<NodeId>& results) {
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
  std::vector<NodeId> outputs;
  for (const NodeId result : results) {
    outputs.push_back(places.at(result));
  }
  region.function.body = builder.finish(std::move(outputs));
  return region;
}

}  // namespace

Graph partition_graph(const Graph& graph) {
  const auto regions = collect_regions(graph);
  std::map<std::string, std::vector<NodeId>> results;
  for (const auto& [name, members] : regions) {
    results.emplace(name, find_results(graph, members));
  }
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
    } else if (const std::vector<NodeId>& ids = results.at(found->first); id == ids.front()) {
      Region region = make_region(graph, found->second, ids);
      const NodeId call = builder.call(std::move(region.function), places_of(region.arguments));
      const std::vector<ExternOutput> packed = results_of(builder[call].function->body);
      places[id] = call;
      for (std::size_t i = 0; ids.size() > 1 && i < ids.size(); ++i) {
        places[ids[i]] = add_result(builder, call, packed[i], graph[ids[i]].origin);
      }
    }
  }
  return builder.finish(places_of(graph.outputs()), graph.output_names());
}

}  // namespace fovea
