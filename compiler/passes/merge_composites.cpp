// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the matches from the outputs backwards, then builds the graph with composites in their places.
#include "merge_composites.h"

#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include "ir/evaluate.h"
#include "ir/results.h"
#include "layers/fuse.h"
#include "layers/layer_name.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "rewrite.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// What was chosen, by results.
class Matches {
 public:
  void add(Fused fused) {
    const NodeId root = fused.match.root();
    for (const NodeId result : fused.match.results()) {
      roots_[result] = root;
    }
    by_root_.emplace(root, std::move(fused));
  }

  /// The match that a value is a result of, or null.
  const Fused* find(NodeId id) const {
    const auto root = roots_.find(id);
    return root == roots_.end() ? nullptr : &by_root_.at(root->second);
  }

  void erase(NodeId root) {
    std::erase_if(roots_, [&](const auto& each) { return each.second == root; });
    by_root_.erase(root);
  }

  bool empty() const { return by_root_.empty(); }
  const std::map<NodeId, Fused>& by_root() const { return by_root_; }

 private:
  std::map<NodeId, Fused> by_root_;
  std::map<NodeId, NodeId> roots_;
};

void need(const std::vector<NodeId>& ids, std::vector<bool>& needed) {
  for (const NodeId id : ids) {
    needed[id] = true;
  }
}

/// Matches from the outputs on. A value that only matches read in their inside is not visited.
/// \param fuse  Finds the match that a value is a result of.
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
      chosen.add(std::move(*fused));
    }
  }
  return chosen;
}

/// What no other match may have.
std::set<NodeId> taken_by(const Graph& graph, const Match& match) {
  std::set<NodeId> all;
  for (const NodeId id : match.inside()) {
    if (graph[id].kind == NodeKind::kCall && (match.is_result(id) || match.copied().count(id) == 0)) {
      all.insert(id);
    }
  }
  return all;
}

/// A value that a match reads and that depends on one of its results, also by way of other matches; nothing where it
/// can be one call.
std::optional<NodeId> find_cycle(const Graph& graph, const Match& match, const Matches& others) {
  const std::set<NodeId> own = taken_by(graph, match);
  if (match.results().size() == 1) {
    return std::nullopt;
  }
  for (const NodeId input : match.inputs()) {
    std::set<NodeId> seen;
    for (std::vector<NodeId> open{input}; !open.empty();) {
      const NodeId id = open.back();
      open.pop_back();
      if (own.contains(id)) {
        return input;
      }
      if (seen.insert(id).second) {
        const Fused* const other = others.find(id);
        const std::vector<NodeId>& reads = other == nullptr ? graph[id].inputs : other->match.inputs();
        open.insert(open.end(), reads.begin(), reads.end());
      }
    }
  }
  return std::nullopt;
}

/// Why no target of a user's takes a layer of several results; nothing where one does.
std::optional<std::string> why_on_none(const Layer& layer, const std::vector<NamedTarget>& targets) {
  std::string reasons;
  for (const NamedTarget& each : targets) {
    if (each.is_added) {
      const std::optional<std::string> reason = each.target->refuse(layer);
      if (!reason) {
        return std::nullopt;
      }
      reasons += "; " + each.name + ": " + *reason;
    }
  }
  return "it has several results, which a target of your own computes" + reasons;
}

std::string why_nothing_matches(const Graph& graph, const Pattern& pattern) {
  std::string missing;
  for (const std::string& name : pattern.operators()) {
    if (std::ranges::none_of(graph.nodes(), [&](const Node& node) { return is_call(node, name); })) {
      missing += (missing.empty() ? "; the graph has no " : ", no ") + name;
    }
  }
  return "nothing matches" + missing;
}

/// Chooses what is fused in a graph, which outlives it: a user's fusions first, one after another.
class Chooser {
 public:
  Chooser(const Graph& graph, dla_rounding rounding, const std::vector<AddedFusion>& added,
          const std::vector<NamedTarget>& targets)
      : graph_(graph), rounding_(rounding), targets_(targets) {
    for (const AddedFusion& fusion : added) {
      choose_matches(graph, [&](NodeId id) {
        if (taken_.count(id) == 0) {
          add(fusion, id);
        }
        const Fused* const found = added_.find(id);
        return found == nullptr ? std::nullopt : std::optional(*found);
      });
    }
  }

  /// \param apart  Goes before what fuse_at() finds at these roots.
  Matches choose(const Matches& apart) const {
    return choose_matches(graph_, [&](NodeId id) -> std::optional<Fused> {
      for (const Matches* given : {&apart, &added_}) {
        if (const Fused* const found = given->find(id)) {
          return *found;
        }
      }
      return fuse_at(graph_, id, rounding_, taken_);
    });
  }

  bool is_added(NodeId root) const { return names_.count(root) != 0; }

  void leave_out(NodeId root, const std::string& why) {
    refusals_[root].push_back({names_.at(root), why});
    for (const NodeId id : taken_by(graph_, added_.find(root)->match)) {
      taken_.erase(id);
    }
    added_.erase(root);
    names_.erase(root);
  }

  /// Reports on matches of a user's fusions, of which `chosen` became composites, and on those without one.
  void report(const Matches& chosen, const std::vector<AddedFusion>& added, const FusionListener& listener) const {
    std::set<std::string> matched;
    for (const auto& [root, name] : names_) {
      matched.insert(name);
      if (chosen.find(root) != nullptr) {
        listener({name, describe(graph_, root), ""});
      }
    }
    for (const auto& [root, refusals] : refusals_) {
      for (const Refusal& refusal : refusals) {
        matched.insert(refusal.name);
        listener({refusal.name, describe(graph_, root), refusal.why});
      }
    }
    for (const AddedFusion& fusion : added) {
      if (matched.insert(fusion.name).second) {
        listener({fusion.name, "", why_nothing_matches(graph_, fusion.pattern)});
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
  struct Refusal {
    std::string name, why;
  };

  /// Why a match with several results can't be a layer.
  std::optional<std::string> why_not(const Fused& fused) const {
    if (fused.match.results().size() == 1) {
      return std::nullopt;
    }
    if (const auto input = find_cycle(graph_, fused.match, added_)) {
      return "it reads " + describe(graph_, *input) + ", which depends on one of its results";
    }
    Layer layer = *fused.layer;
    layer.name = LayerNames().take(layer.onnx_name, layer.composite);
    return why_on_none(layer, targets_);
  }

  void add(const AddedFusion& fusion, NodeId root) {
    std::optional<Fused> fused = fuse_added(fusion, graph_, root, rounding_, taken_);
    if (!fused) {
      return;
    }
    const std::optional<std::string> why = fused->layer == nullptr ? std::optional(fused->why) : why_not(*fused);
    if (why) {
      refusals_[root].push_back({fusion.name, *why});
    } else {
      taken_.merge(taken_by(graph_, fused->match));
      added_.add(std::move(*fused));
      names_[root] = fusion.name;
    }
  }

  const Graph& graph_;
  dla_rounding rounding_;
  const std::vector<NamedTarget>& targets_;
  Matches added_;
  std::map<NodeId, std::string> names_;  ///< Of the fusions, by roots.
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
    const Fused* const fused = chosen.find(id);
    if (!is_needed[id] || is_call(graph[id], "unsupported")) {
      continue;
    }
    const bool is_left = fused == nullptr;
    is_written[id] = is_written[id] || (is_left && is_call(graph[id], "qnn.dequantize") && graph.is_constant(id));
    if (!is_written[id]) {
      need(is_left ? graph[id].inputs : fused->match.inputs(), is_needed);
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

/// The graph with copies of those results of several that are outputs of the network, which are tensors by themselves.
/// Nothing where there are none.
std::optional<Graph> copy_results(const Graph& graph, const Matches& chosen) {
  const auto is_one_of_several = [&](NodeId id) {
    const Fused* const fused = chosen.find(id);
    return fused != nullptr && fused->match.results().size() > 1;
  };
  if (std::ranges::none_of(graph.outputs(), is_one_of_several)) {
    return std::nullopt;
  }
  return rewrite_outputs(graph, [&](GraphBuilder& builder, NodeId output) {
    return is_one_of_several(output) ? add_copy(builder, output) : output;
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
  for (const auto& [root, fused] : chosen.by_root()) {
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
      apart.add(std::move(pair.parts.back()));
    }
  }
  return apart;
}

/// A composite, or what stands for one that no layer computes.
NodeId add_fused(GraphBuilder& builder, const Graph& graph, const Fused& fused, const Chooser& chooser,
                 const std::vector<NodeId>& arguments) {
  if (fused.layer != nullptr) {
    Function composite = make_composite(graph, fused);
    composite.note = chooser.note(fused.match);
    return builder.call(std::move(composite), arguments, fused.anchor);
  }
  const std::string op = fused.composite.substr(fused.composite.find('.') + 1);
  return builder.call("unsupported", arguments, unsupported_attributes(op, fused.why, graph[fused.match.root()].type),
                      fused.anchor);
}

/// One of several results, as a composite.
NodeId add_result_layer(GraphBuilder& builder, NodeId value, const ExternOutput& result, const std::string& origin) {
  GraphBuilder inside;
  const NodeId input = inside.input("", builder[value].type);
  Function view;
  view.name = "dla.extern_output";
  view.body = inside.finish({add_result(inside, input, result, origin)});
  return builder.call(std::move(view), {value}, origin);
}

/// The graph with what `add` makes in the place of each match, and what `add_result` makes of several results. Nodes
/// are in the order in which the outputs, one after another, need them: the same for one network, whatever the order
/// in its file.
template <typename Add, typename AddResult>
Graph replace_matches(const Graph& graph, const Matches& chosen, Add add, AddResult add_result) {
  GraphBuilder builder;
  std::vector<std::optional<NodeId>> places(graph.size());
  std::vector<bool> is_open(graph.size());
  const auto reads = [&](NodeId id) -> const std::vector<NodeId>& {
    const Fused* const fused = chosen.find(id);
    return fused == nullptr ? graph[id].inputs : fused->match.inputs();
  };
  const auto place = [&](NodeId id) {
    std::vector<NodeId> inputs;
    for (const NodeId input : reads(id)) {
      inputs.push_back(*places[input]);
    }
    const Fused* const fused = chosen.find(id);
    if (fused == nullptr) {
      places[id] = builder.copy(graph[id], std::move(inputs));
      return;
    }
    const NodeId value = add(builder, *fused, inputs);
    const std::vector<NodeId>& results = fused->match.results();
    if (results.size() == 1) {
      places[id] = value;
      return;
    }
    const std::vector<ExternOutput> packed = results_of(builder[value].function->body);
    for (std::size_t i = 0; i < results.size(); ++i) {
      places[results[i]] = add_result(builder, value, packed[i], graph[results[i]].origin);
    }
  };
  for (const NodeId input : graph.inputs()) {
    place(input);
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : graph.outputs()) {
    for (std::vector<NodeId> open{output}; !open.empty();) {
      const NodeId id = open.back();
      const std::vector<NodeId>& inputs = reads(id);
      const auto next = std::ranges::find_if(inputs, [&](NodeId input) { return !places[input]; });
      if (next != inputs.end()) {
        internal_check(!is_open[*next], "no composite reads what depends on it");
        is_open[id] = true;
        open.push_back(*next);
        continue;
      }
      if (!places[id]) {
        place(id);
      }
      open.pop_back();
    }
    outputs.push_back(*places[output]);
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

}  // namespace

Graph merge_composites(const Graph& given, dla_rounding rounding, const std::vector<NamedTarget>& targets,
                       const std::vector<AddedFusion>& added, const FusionListener& on_fusion) {
  Graph graph = given;
  std::optional<Chooser> chooser(std::in_place, graph, rounding, added, targets);
  Matches chosen = chooser->choose({});
  for (const auto prepare : {write_constants, copy_results}) {
    if (std::optional<Graph> prepared = prepare(graph, chosen)) {
      chooser.reset();
      graph = std::move(*prepared);
      chosen = chooser.emplace(graph, rounding, added, targets).choose({});
    }
  }
  const auto own = std::ranges::find(targets, false, &NamedTarget::is_added);  // Added ones take layers as they are.
  Target* const first = own == targets.end() ? nullptr : own->target.get();
  if (const Matches apart = choose_apart(graph, rounding, chosen, *chooser, first); !apart.empty()) {
    chosen = chooser->choose(apart);
  }
  if (on_fusion) {
    chooser->report(chosen, added, on_fusion);
  }
  return replace_matches(
      graph, chosen,
      [&](GraphBuilder& builder, const Fused& fused, const std::vector<NodeId>& arguments) {
        return add_fused(builder, graph, fused, *chooser, arguments);
      },
      add_result_layer);
}

Graph merge_matches(const Graph& graph, const AddedFusion& fusion) {
  Matches all;
  std::set<NodeId> taken;
  choose_matches(graph, [&](NodeId id) -> std::optional<Fused> {
    std::optional<Match> found = all.find(id) == nullptr ? match_added(fusion, graph, id, taken) : std::nullopt;
    const bool is_refused =
        !found || find_cycle(graph, *found, all) || (fusion.refuse && fusion.refuse(*found).has_value());
    if (!is_refused) {
      taken.merge(taken_by(graph, *found));
      all.add({fusion.name, std::move(*found), nullptr, "", ""});
    }
    const Fused* const fused = all.find(id);
    return fused == nullptr ? std::nullopt : std::optional(*fused);
  });
  return replace_matches(
      graph, all,
      [&](GraphBuilder& builder, const Fused& fused, const std::vector<NodeId>& arguments) {
        return builder.call(make_composite(graph, fused), arguments, graph[fused.match.root()].origin);
      },
      add_result);
}

}  // namespace fovea
