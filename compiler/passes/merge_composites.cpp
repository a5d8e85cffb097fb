// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the matches from the outputs backwards, then builds the graph with composites in their places.
#include "merge_composites.h"

#include <algorithm>
#include <map>
#include <optional>

#include "layers/fuse.h"
#include "ops/ops.h"

namespace fovea {
namespace {

/// Matches by their roots. A value that only matches read in their inside is not visited.
std::map<NodeId, Fused> choose_matches(const Graph& graph, dla_rounding rounding) {
  std::map<NodeId, Fused> chosen;
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
    std::optional<Fused> fused = fuse_at(graph, id, rounding);
    need(fused ? fused->match.inputs() : graph[id].inputs);
    if (fused) {
      chosen.emplace(id, std::move(*fused));
    }
  }
  return chosen;
}

/// Copies the inside of a match into a body of its own.
Function make_composite(const Graph& graph, NodeId root, const Fused& fused) {
  GraphBuilder builder;
  std::map<NodeId, NodeId> places;
  for (const NodeId id : fused.match.inputs()) {
    places[id] = builder.input(graph[id].origin, graph[id].type);
  }
  for (const NodeId id : fused.match.inside()) {
    std::vector<NodeId> inputs;
    for (const NodeId input : graph[id].inputs) {
      inputs.push_back(places.at(input));
    }
    places[id] = builder.copy(graph[id], std::move(inputs));
  }
  Function composite;
  composite.name = fused.composite;
  composite.value = fused.layer;
  composite.body = builder.finish({places.at(root)});
  return composite;
}

/// A composite, or what stands for one that no layer computes.
NodeId add_fused(GraphBuilder& builder, const Graph& graph, NodeId root, const Fused& fused,
                 const std::vector<NodeId>& arguments) {
  if (fused.layer != nullptr) {
    return builder.call(make_composite(graph, root, fused), arguments, fused.anchor);
  }
  const std::string op = fused.composite.substr(fused.composite.find('.') + 1);
  return builder.call("unsupported", arguments, unsupported_attributes(op, fused.why, graph[root].type), fused.anchor);
}

/// Nodes in the order in which the outputs, one after another, need them: the same for one network, whatever the order
/// in its file.
Graph in_order_of_need(const Graph& graph) {
  GraphBuilder builder;
  std::vector<std::optional<NodeId>> places(graph.size());
  const auto add = [&](NodeId id) {
    std::vector<NodeId> inputs;
    for (const NodeId input : graph[id].inputs) {
      inputs.push_back(*places[input]);
    }
    places[id] = builder.copy(graph[id], std::move(inputs));
  };
  for (const NodeId input : graph.inputs()) {
    add(input);
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : graph.outputs()) {
    for (std::vector<NodeId> open{output}; !open.empty();) {
      const NodeId id = open.back();
      const std::vector<NodeId>& inputs = graph[id].inputs;
      const auto next = std::find_if(inputs.begin(), inputs.end(), [&](NodeId input) { return !places[input]; });
      if (next != inputs.end()) {
        open.push_back(*next);
        continue;
      }
      if (!places[id]) {
        add(id);
      }
      open.pop_back();
    }
    outputs.push_back(*places[output]);
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

}  // namespace

Graph merge_composites(const Graph& graph, dla_rounding rounding) {
  const std::map<NodeId, Fused> chosen = choose_matches(graph, rounding);
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
      places[id] = add_fused(builder, graph, id, found->second, places_of(found->second.match.inputs()));
    }
  }
  return in_order_of_need(builder.finish(places_of(graph.outputs()), graph.output_names()));
}

}  // namespace fovea
