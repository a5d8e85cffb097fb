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

/// Matches by their roots, from the outputs on. A value that only matches read in their inside is not visited.
/// \param fuse  Finds the match at a value.
template <typename Fuse>
Matches choose_matches(const Graph& graph, Fuse fuse) {
  Matches chosen;
  std::vector<bool> needed(graph.size());
  need(graph.outputs(), needed);
  for (NodeId id = graph.size(); id-- > 0;) {
    if (!needed[id]) {
      continue;
    }
    std::optional<Fused> fused = fuse(id);
    need(fused ? fused->match.inputs() : graph[id].inputs, needed);
    if (fused) {
      chosen.emplace(id, std::move(*fused));
    }
  }
  return chosen;
}

/// Chooses what is fused in a graph, which outlives it: a user's fusions first, one after another.
class Chooser {
 public:
  Chooser(const Graph& graph, dla_rounding rounding, const std::vector<AddedFusion>& added)
      : graph_(graph), rounding_(rounding) {
    for (const AddedFusion& fusion : added) {
      choose_matches(graph, [&](NodeId id) {
        if (taken_.count(id) == 0) {
          add(fusion, id);
        }
        const auto found = added_.find(id);
        return found == added_.end() ? std::nullopt : std::optional(found->second.fused);
      });
    }
  }

  /// \param apart  Goes before what fuse_at() finds at these roots.
  Matches choose(const Matches& apart) const {
    return choose_matches(graph_, [&](NodeId id) -> std::optional<Fused> {
      if (const auto part = apart.find(id); part != apart.end()) {
        return part->second;
      }
      const auto added = added_.find(id);
      return added == added_.end() ? fuse_at(graph_, id, rounding_, taken_) : std::optional(added->second.fused);
    });
  }

  bool is_added(NodeId root) const { return added_.count(root) != 0; }

  void leave_out(NodeId root, const std::string& why) {
    refusals_[root].push_back({added_.at(root).name, why});
    for (const NodeId id : taken_by(added_.at(root).fused.match)) {
      taken_.erase(id);
    }
    added_.erase(root);
  }

  /// Reports on matches of a user's fusions, of which `chosen` became composites.
  void report(const Matches& chosen, const FusionListener& listener) const {
    for (const auto& [root, added] : added_) {
      if (listener && chosen.count(root) != 0) {
        listener({added.name, describe(graph_, root), ""});
      }
    }
    for (const auto& [root, refusals] : refusals_) {
      for (const Refusal& refusal : refusals) {
        if (listener) {
          listener({refusal.name, describe(graph_, root), refusal.why});
        }
      }
    }
  }

  /// Which of a user's fusions were left out at values inside of a match, and why.
  std::string note(const Match& match) const {
    std::string text;
    for (const auto& [root, refusals] : refusals_) {
      for (const Refusal& refusal : refusals) {
        if (match.inside().count(root) != 0) {
          text += (text.empty() ? "not " : "; not ") + refusal.name + ": " + refusal.why;
        }
      }
    }
    return text;
  }

 private:
  struct Added {
    Fused fused;
    std::string name;  ///< Of the fusion.
  };
  struct Refusal {
    std::string name, why;
  };

  /// What no other match may have.
  std::set<NodeId> taken_by(const Match& match) const {
    std::set<NodeId> all;
    for (const NodeId id : match.inside()) {
      if (graph_[id].kind == NodeKind::kCall && (id == match.root() || match.copied().count(id) == 0)) {
        all.insert(id);
      }
    }
    return all;
  }

  void add(const AddedFusion& fusion, NodeId root) {
    std::optional<Fused> fused = fuse_added(fusion, graph_, root, rounding_, taken_);
    if (fused && fused->layer == nullptr) {
      refusals_[root].push_back({fusion.name, fused->why});
    } else if (fused) {
      taken_.merge(taken_by(fused->match));
      added_.emplace(root, Added{std::move(*fused), fusion.name});
    }
  }

  const Graph& graph_;
  dla_rounding rounding_;
  std::map<NodeId, Added> added_;
  std::map<NodeId, std::vector<Refusal>> refusals_;
  std::set<NodeId> taken_;
};

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
  bool is_added;  ///< By a user, who has asked for it.
  std::shared_ptr<const Layer> fused;
  std::vector<Fused> parts;
  std::vector<std::shared_ptr<const Layer>> layers;  ///< Of the parts.
};

/// A mean behind a convolution is fused only for a target that takes it so.
bool is_apart(const Pair& pair, Target* target) {
  const bool is_mean = std::holds_alternative<GlobalAvgPool>(pair.layers.back()->body);
  return target == nullptr ? is_mean
                           : (is_mean && target->refuse(*pair.fused)) ||
                                 (!pair.is_added && target->prefers_parts(*pair.fused, pair.layers));
}

/// Of the layers that end with a max-pool or a mean, those that the target would rather run without: the pools.
/// \param target  Null without one.
Matches choose_apart(const Graph& graph, dla_rounding rounding, const Matches& chosen, Chooser& chooser,
                     Target* target) {
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
      pairs.push_back({root, chooser.is_added(root), fused.layer, std::move(parts), two});
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
      if (pair.is_added) {
        chooser.leave_out(pair.root, "no target takes the mean with the convolution");
      }
      apart.emplace(pair.root, std::move(pair.parts.back()));
    }
  }
  return apart;
}

/// A composite, or what stands for one that no layer computes.
NodeId add_fused(GraphBuilder& builder, const Graph& graph, NodeId root, const Fused& fused, const Chooser& chooser,
                 const std::vector<NodeId>& arguments) {
  if (fused.layer != nullptr) {
    Function composite = make_composite(graph, root, fused);
    composite.note = chooser.note(fused.match);
    return builder.call(std::move(composite), arguments, fused.anchor);
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

/// The graph with what `add` makes in the place of each match.
template <typename Add>
Graph replace_matches(const Graph& graph, const Matches& chosen, Add add) {
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
      places[id] = add(builder, id, found->second, places_of(found->second.match.inputs()));
    }
  }
  return in_order_of_need(builder.finish(places_of(graph.outputs()), graph.output_names()));
}

}  // namespace

Graph merge_composites(const Graph& given, dla_rounding rounding, const std::vector<NamedTarget>& targets,
                       const std::vector<AddedFusion>& added, const FusionListener& on_fusion) {
  std::optional<Chooser> chooser(std::in_place, given, rounding, added);
  Matches chosen = chooser->choose({});
  const std::optional<Graph> written = write_constants(given, chosen);
  const Graph& graph = written ? *written : given;
  if (written) {
    chosen = chooser.emplace(graph, rounding, added).choose({});
  }
  Target* const first = targets.empty() ? nullptr : targets.front().target.get();
  if (const Matches apart = choose_apart(graph, rounding, chosen, *chooser, first); !apart.empty()) {
    chosen = chooser->choose(apart);
  }
  chooser->report(chosen, on_fusion);
  return replace_matches(
      graph, chosen, [&](GraphBuilder& builder, NodeId root, const Fused& fused, const std::vector<NodeId>& arguments) {
        return add_fused(builder, graph, root, fused, *chooser, arguments);
      });
}

Graph merge_matches(const Graph& graph, const AddedFusion& fusion) {
  const Matches chosen = choose_matches(graph, [&](NodeId id) -> std::optional<Fused> {
    std::optional<Match> found = match_added(fusion, graph, id);
    if (!found) {
      return std::nullopt;
    }
    const bool is_refused = fusion.refuse && fusion.refuse(*found).has_value();
    return is_refused ? std::nullopt : std::optional<Fused>({fusion.name, std::move(*found), nullptr, "", ""});
  });
  return replace_matches(
      graph, chosen, [&](GraphBuilder& builder, NodeId root, const Fused& fused, const std::vector<NodeId>& arguments) {
        return builder.call(make_composite(graph, root, fused), arguments, graph[root].origin);
      });
}

}  // namespace fovea
