// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the matches from the outputs backwards, then builds the graph with composites in their places.
#include "merge_composites.h"

#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include "ir/evaluate.h"
#include "layers/fuse.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "rewrite.h"

namespace fovea {
namespace {

using Matches = std::map<NodeId, Fused>;

void need(const std::vector<NodeId>& ids, std::vector<bool>& needed) {
  for (const NodeId id : ids) {
    needed[id] = true;
  }
}

/// Matches by their roots. A value that only matches read in their inside is not visited.
/// \param apart  Goes before what fuse_at() finds at these roots.
Matches choose_matches(const Graph& graph, dla_rounding rounding, const Matches& apart) {
  Matches chosen;
  std::vector<bool> needed(graph.size());
  need(graph.outputs(), needed);
  for (NodeId id = graph.size(); id-- > 0;) {
    if (!needed[id]) {
      continue;
    }
    const auto part = apart.find(id);
    std::optional<Fused> fused = part == apart.end() ? fuse_at(graph, id, rounding) : std::optional(part->second);
    need(fused ? fused->match.inputs() : graph[id].inputs, needed);
    if (fused) {
      chosen.emplace(id, std::move(*fused));
    }
  }
  return chosen;
}

/// The graph with constants that no layer takes, dequantized ones and those of joins, written by layers of their own:
/// casts to the type that they have. Nothing where there are none.
std::optional<Graph> write_constants(const Graph& graph, const Matches& chosen) {
  std::vector<bool> is_needed(graph.size());
  need(graph.outputs(), is_needed);
  std::vector<bool> is_written(graph.size());
  for (NodeId id = graph.size(); id-- > 0;) {
    const auto fused = chosen.find(id);
    if (!is_needed[id] || is_call(graph[id], "unsupported")) {
      continue;
    }
    const bool is_left = fused == chosen.end();
    is_written[id] = is_written[id] || (is_left && is_call(graph[id], "qnn.dequantize") && graph.is_constant(id));
    if (!is_written[id]) {
      need(is_left ? graph[id].inputs : fused->second.match.inputs(), is_needed);
    }
    if (is_left && is_call(graph[id], "concatenate")) {
      for (const NodeId input : graph[id].inputs) {
        is_written[input] = graph[input].kind == NodeKind::kConstant;
      }
    }
  }
  if (std::none_of(is_written.begin(), is_written.end(), [](bool is) { return is; })) {
    return std::nullopt;
  }
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>&) {
    if (!is_written[id]) {
      return std::optional<NodeId>();
    }
    return std::optional(add_copy(builder, builder.constant(*evaluate_constant(graph, id), graph[id].origin)));
  });
}

/// A layer that is two others fused.
struct Pair {
  NodeId root;
  std::shared_ptr<const Layer> fused;
  std::vector<Fused> parts;
  std::vector<std::shared_ptr<const Layer>> layers;  ///< Of the parts.
};

/// A mean behind a convolution is fused only for a target that takes it so.
bool is_apart(const Pair& pair, Target* target) {
  const bool is_mean = std::holds_alternative<GlobalAvgPool>(pair.layers.back()->body);
  return target == nullptr
             ? is_mean
             : (is_mean && target->refuse(*pair.fused)) || target->prefers_parts(*pair.fused, pair.layers);
}

/// Of the layers that end with a max-pool or a mean, those that the target would rather run without: the pools.
/// \param target  Null without one.
Matches choose_apart(const Graph& graph, dla_rounding rounding, const Matches& chosen, Target* target) {
  std::vector<Pair> pairs;
  std::vector<std::shared_ptr<const Layer>> layers;
  for (const auto& [root, fused] : chosen) {
    std::vector<Fused> parts = parts_of(graph, root, fused, rounding);
    const auto ends_with_pool = [&](const LayerBody& end) {
      return std::holds_alternative<MaxPool>(end) || std::holds_alternative<GlobalAvgPool>(end);
    };
    if (!parts.empty() && ends_with_pool(parts.back().layer->body)) {
      const std::vector<std::shared_ptr<const Layer>> two{parts[0].layer, parts[1].layer};
      layers.insert(layers.end(), {fused.layer, two[0], two[1]});
      pairs.push_back({root, fused.layer, std::move(parts), two});
    }
  }
  if (pairs.empty()) {
    return {};
  }
  if (target != nullptr) {
    target->expect(layers);
  }
  Matches apart;
  for (Pair& pair : pairs) {
    if (is_apart(pair, target)) {
      apart.emplace(pair.root, std::move(pair.parts.back()));
    }
  }
  return apart;
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

Graph merge_composites(const Graph& given, dla_rounding rounding, const std::vector<NamedTarget>& targets) {
  Matches chosen = choose_matches(given, rounding, {});
  const std::optional<Graph> written = write_constants(given, chosen);
  const Graph& graph = written ? *written : given;
  if (written) {
    chosen = choose_matches(graph, rounding, {});
  }
  const Matches apart = choose_apart(graph, rounding, chosen, targets.empty() ? nullptr : targets.front().target.get());
  if (!apart.empty()) {
    chosen = choose_matches(graph, rounding, apart);
  }
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
