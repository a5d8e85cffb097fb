// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the matches from the outputs backwards, then builds the graph with composites in their places.
#include "merge_composites.h"

#include <map>

#include "eliminate_dead_code.h"
#include "patterns/fusion.h"
#include "patterns/table.h"

namespace fovea {
namespace {

struct ChosenMatch {
  const Fusion* fusion;
  Match match;
};

/// Matches by their roots. A value that only matches read in their inside is not visited.
std::map<NodeId, ChosenMatch> choose_matches(const Graph& graph) {
  std::map<NodeId, ChosenMatch> chosen;
  std::vector<bool> needed(graph.size());
  const auto need = [&](const std::vector<NodeId>& ids) {
    for (const NodeId id : ids) {
      needed[id] = true;
    }
  };
  need(graph.outputs());
  for (NodeId id = graph.size(); id-- > 0;) {
    if (!needed[id]) {
      continue;
    }
    std::optional<ChosenMatch> match;
    for (const Fusion& fusion : fusions()) {
      if (const auto found = fovea::match(fusion.pattern, graph, id)) {
        match = ChosenMatch{&fusion, *found};
        break;
      }
    }
    need(match ? match->match.inputs() : graph[id].inputs);
    if (match) {
      chosen.emplace(id, std::move(*match));
    }
  }
  return chosen;
}

/// Copies the inside of a match into a body of its own.
Function make_composite(const Graph& graph, NodeId root, const ChosenMatch& chosen) {
  GraphBuilder builder;
  std::map<NodeId, NodeId> places;
  for (const NodeId id : chosen.match.inputs()) {
    places[id] = builder.input(graph[id].origin, graph[id].type);
  }
  for (const NodeId id : chosen.match.inside()) {
    std::vector<NodeId> inputs;
    for (const NodeId input : graph[id].inputs) {
      inputs.push_back(places.at(input));
    }
    places[id] = builder.copy(graph[id], std::move(inputs));
  }
  Function composite;
  composite.name = chosen.fusion->composite;
  composite.body = builder.finish({places.at(root)});
  return composite;
}

}  // namespace

Graph merge_composites(const Graph& graph) {
  const std::map<NodeId, ChosenMatch> chosen = choose_matches(graph);
  GraphBuilder builder;
  std::vector<NodeId> places(graph.size());
  const auto places_of = [&](const std::vector<NodeId>& ids) {
    std::vector<NodeId> result;
    result.reserve(ids.size());
    for (const NodeId id : ids) {
      result.push_back(places[id]);
    }
    return result;
  };
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto found = chosen.find(id);
    if (found == chosen.end()) {
      places[id] = builder.copy(graph[id], places_of(graph[id].inputs));
    } else {
      const ChosenMatch& match = found->second;
      places[id] = builder.call(make_composite(graph, id, match), places_of(match.match.inputs()),
                                match.match[match.fusion->anchor].origin);
    }
  }
  return eliminate_dead_code(builder.finish(places_of(graph.outputs())));
}

}  // namespace fovea
