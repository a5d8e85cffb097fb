// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the table of layer kinds, and finds the fusion that matches at a value.
#include "fuse.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "ir/results.h"
#include "layer_kind.h"
#include "nest_group.h"
#include "ops/operator.h"
#include "spec/near_name.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The match as a layer whose inputs are places among `arguments`.
Layer make_layer(const LayerKind& kind, const Fusion& fusion, const Match& match, NodeId root,
                 const std::vector<NodeId>& arguments) {
  Layer layer;
  layer.kind = &kind;
  layer.composite = kind.composite != nullptr ? kind.composite(match) : "";
  if (layer.composite.empty()) {
    layer.composite = fusion.composite.substr(fusion.composite.find('.') + 1);
  }
  layer.onnx_name = match[std::string(kind.anchor)].origin;
  std::vector<NodeId> inputs;
  layer.body = kind.make(match, inputs);
  for (const NodeId input : inputs) {
    const auto place = std::find(arguments.begin(), arguments.end(), input);
    internal_check(place != arguments.end(), fusion.composite + " reads what its match reads");
    layer.inputs.push_back(static_cast<std::size_t>(place - arguments.begin()));
    layer.input_types.push_back(match.graph()[input].type);
  }
  layer.output_type = match.graph()[root].type;
  return layer;
}

/// Whether a match has none of these values, but as copies.
bool is_apart(const Match& match, const std::set<NodeId>& taken) {
  return taken.empty() || std::ranges::none_of(match.inside(), [&](NodeId id) {
           return taken.count(id) != 0 && (match.is_result(id) || match.copied().count(id) == 0);
         });
}

/// A match of a row.
struct Found {
  const LayerKind& kind;
  const Fusion& fusion;
  Match match;
};

/// The first row that matches, of a kind other than `but`, without values that are taken.
std::optional<Found> find_fusion(const Graph& graph, NodeId root, Sharing sharing, dla_rounding rounding,
                                 const LayerKind* but = nullptr, const std::set<NodeId>& taken = {}) {
  for (const LayerKind& kind : layer_kinds()) {
    if (&kind == but) {
      continue;
    }
    for (const Fusion& fusion : kind.fusions) {
      const bool is_allowed = !fusion.rounds_to_nearest || rounding == kDlaNearestEven;
      if (auto found = is_allowed ? match(fusion.pattern, graph, root, sharing) : std::nullopt;
          found && is_apart(*found, taken)) {
        return Found{kind, fusion, std::move(*found)};
      }
    }
  }
  return std::nullopt;
}

/// Whether a match leaves it to other layers to compute floats for it, as a quantize that stands alone does.
bool reads_computed_floats(const Match& match) {
  return std::any_of(match.inputs().begin(), match.inputs().end(), [&](NodeId input) {
    const Node& node = match.graph()[input];
    return node.kind == NodeKind::kCall && node.type.element == ElementType::kFloat32;
  });
}

/// Whether a match of a body takes all of it, and reads no more than it does.
bool covers(const Match& match, const Graph& body) {
  const std::vector<NodeId>& inputs = body.inputs();
  return match.inside().size() + inputs.size() == body.size() &&
         std::ranges::all_of(match.inputs(), [&](NodeId id) { return std::ranges::count(inputs, id) != 0; });
}

/// The first row that is all of a body; of composites of that name only, or with "" of any.
std::optional<Found> find_row(const Graph& body, std::string_view composite, dla_rounding rounding) {
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      const bool is_allowed = !fusion.rounds_to_nearest || rounding == kDlaNearestEven;
      if (is_allowed && (composite.empty() || composite == fusion.composite)) {
        auto found = match(fusion.pattern, body, body.outputs().at(0));
        if (found && covers(*found, body)) {
          return Found{kind, fusion, std::move(*found)};
        }
      }
    }
  }
  return std::nullopt;
}

/// The compiler's composite that a name means, as it is there: "qconv2d" and "dla.qconv2d" are one. "" where it is a
/// name of a user's own.
std::string row_named(const std::string& name) {
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      if (fusion.composite == name || fusion.composite.substr(fusion.composite.find('.') + 1) == name) {
        return fusion.composite;
      }
    }
  }
  return "";
}

bool has_our_prefix(const std::string& name) { return name.starts_with("dla.") || name.starts_with("cpu."); }

std::string operators_in(const Graph& body) {
  std::string names;
  for (const Node& node : body.nodes()) {
    names += node.kind == NodeKind::kCall ? (names.empty() ? "" : ", ") + node.op->name : "";
  }
  return names;
}

/// A body as one nest. \throws UserError where it is none.
Layer make_nest(const Graph& body) {
  if (const auto why = why_no_nest(body)) {
    user_error("no layer computes " + operators_in(body) + ": " + *why);
  }
  static const LayerKind& kind =
      *std::ranges::find(layer_kinds(), std::string_view("nest_group"), &LayerKind::name);  // Its `make` takes any.
  const auto all = [](const Graph& graph, NodeId) {
    Calls calls;
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph[id].kind == NodeKind::kCall) {
        calls.inside.insert(id);
      }
    }
    return calls;
  };
  const NodeId root = body.outputs().at(0);
  const auto found = match(group(all).as("op"), body, root);
  internal_check(found.has_value(), "a body is the group of all its calls");
  return make_layer(kind, {"", any()}, *found, root, body.inputs());
}

/// A body with several results.
Layer make_several(const Graph& body) {
  static const LayerKind kind{"several", "", true, {}, nullptr, "it has several results"};
  Layer layer;
  layer.kind = &kind;
  layer.body = Several{std::make_shared<const Graph>(body), results_of(body)};
  layer.onnx_name = body[body.outputs()[0]].origin;
  for (const NodeId input : body.inputs()) {
    layer.inputs.push_back(layer.inputs.size());
    layer.input_types.push_back(body[input].type);
  }
  layer.output_type = type_of_packed(results_of(body));
  return layer;
}

/// The layer that a user's composite is. \param row  The compiler's composite that it is called, or "".
/// \throws UserError where there is none.
Layer make_added(const std::string& name, const Graph& body, const std::string& row, dla_rounding rounding) {
  const bool is_several = body.outputs().size() > 1;
  const std::optional<Found> found = is_several ? std::nullopt : find_row(body, row, rounding);
  if (!found && !row.empty()) {
    user_error(operators_in(body) + " is not what " + row + " computes");
  }
  Layer layer = found        ? make_layer(found->kind, found->fusion, found->match, body.outputs()[0], body.inputs())
                : is_several ? make_several(body)
                             : make_nest(body);
  if (row.empty()) {
    layer.composite = name;
  }
  return layer;
}

Fused make_fused(const Found& found, NodeId root) {
  const auto& [kind, fusion, match] = found;
  Fused fused{fusion.composite, match, nullptr, "", match[std::string(kind.anchor)].origin};
  try {
    fused.layer = std::make_shared<Layer>(make_layer(kind, fusion, match, root, match.inputs()));
  } catch (const UserError& error) {
    fused.why = error.what();
  }
  return fused;
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds{
#define FOVEA_LAYER_KIND(name) name##_kind(),
#include "layer_kinds.def"
#undef FOVEA_LAYER_KIND
  };
  return kinds;
}

std::optional<Fused> fuse_at(const Graph& graph, NodeId root, dla_rounding rounding, const std::set<NodeId>& taken) {
  const std::optional<Found> alone = find_fusion(graph, root, Sharing::kRefused, rounding, nullptr, taken);
  if (alone && !reads_computed_floats(alone->match)) {
    return make_fused(*alone, root);
  }
  const std::optional<Found> copied = find_fusion(graph, root, Sharing::kCopied, rounding, nullptr, taken);
  if (copied && !reads_computed_floats(copied->match)) {
    return make_fused(*copied, root);
  }
  return alone ? std::optional<Fused>(make_fused(*alone, root)) : std::nullopt;
}

void check_fusions(const std::vector<AddedFusion>& fusions) {
  std::vector<std::string> names;
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      names.push_back(fusion.composite);
    }
  }
  for (const AddedFusion& fusion : fusions) {
    const std::string begin = "fusion " + fusion.name + ": ",
                      place = fusion.place.empty() ? "" : " (" + fusion.place + ")";
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    bool is_word = !fusion.name.empty() && std::isdigit(static_cast<unsigned char>(fusion.name[0])) == 0;
    for (const char c : fusion.name) {
      is_word = is_word && (is_letter(c) || c == '.');
    }
    if (!is_word || fusion.name.front() == '.' || fusion.name.back() == '.') {
      throw UsageError(begin + "no name of a composite; letters, digits, _ and dots work, as in mine.swish" + place);
    }
    if (has_our_prefix(fusion.name) && row_named(fusion.name).empty()) {
      throw UsageError(begin + "the compiler has no such composite" + did_you_mean(fusion.name, names) +
                       "; another prefix than dla and cpu makes it your own" + place);
    }
    if (!fusion.results.empty() && !row_named(fusion.name).empty()) {
      throw UsageError(begin + "the compiler's composite has one result; a name of your own, such as mine." +
                       fusion.name.substr(fusion.name.find('.') + 1) + ", may have several" + place);
    }
  }
}

Function make_composite(const Graph& graph, const Fused& fused) {
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
  std::vector<NodeId> results;
  for (const NodeId result : fused.match.results()) {
    results.push_back(places.at(result));
  }
  composite.body = builder.finish(std::move(results));
  return composite;
}

std::optional<Match> match_added(const AddedFusion& fusion, const Graph& graph, NodeId root,
                                 const std::set<NodeId>& taken) {
  std::optional<Match> found = match(fusion.pattern, fusion.results, graph, root);
  const auto is_function = [&](NodeId id) { return graph[id].kind == NodeKind::kFunction; };
  const auto is_inside = [&](NodeId id) { return found->inside().contains(id); };
  if (!found || !std::ranges::all_of(found->results(), is_inside) ||
      std::ranges::any_of(found->inside(), is_function) || !is_apart(*found, taken)) {
    return std::nullopt;
  }
  found->drop_inner_inputs();
  return found;
}

std::optional<Fused> fuse_added(const AddedFusion& fusion, const Graph& graph, NodeId root, dla_rounding rounding,
                                const std::set<NodeId>& taken) {
  std::optional<Match> found = match_added(fusion, graph, root, taken);
  if (!found) {
    return std::nullopt;
  }
  const std::string row = row_named(fusion.name);
  Fused fused{row.empty() ? fusion.name : row, std::move(*found), nullptr, "", graph[root].origin};
  const std::optional<std::string> why = fusion.refuse ? fusion.refuse(fused.match) : std::nullopt;
  if (why) {
    fused.why = *why;
    return fused;
  }
  try {
    auto layer = std::make_shared<Layer>(make_added(fusion.name, make_composite(graph, fused).body, row, rounding));
    fused.anchor = layer->onnx_name;
    fused.layer = std::move(layer);
  } catch (const UserError& error) {
    fused.why = error.what();
  }
  return fused;
}

std::vector<Fused> parts_of(const Graph& graph, NodeId root, const Fused& fused, dla_rounding rounding) {
  if (fused.layer == nullptr || fused.match.results().size() > 1) {
    return {};
  }
  const auto second = find_fusion(graph, root, Sharing::kRefused, rounding, fused.layer->kind);
  if (!second || second->match.inputs().size() != 1) {
    return {};
  }
  const NodeId between = second->match.inputs()[0];
  const bool is_inside = std::ranges::find(fused.match.inside(), between) != fused.match.inside().end();
  if (!is_inside || graph[between].type.element == ElementType::kFloat32) {
    return {};
  }
  const auto first = find_fusion(graph, between, Sharing::kRefused, rounding);
  if (!first) {
    return {};
  }
  std::vector<Fused> parts{make_fused(*first, between), make_fused(*second, root)};
  const bool are_layers = parts[0].layer != nullptr && parts[1].layer != nullptr;
  return are_layers ? parts : std::vector<Fused>();
}

std::shared_ptr<const Layer> layer_of(const Function& composite) {
  if (composite.value != nullptr) {
    return composite.value;
  }
  const Graph& body = composite.body;
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      if (fusion.composite == composite.name) {
        const auto found = match(fusion.pattern, body, body.outputs().at(0));
        if (!found) {
          user_error(composite.name + ": its body is not what " + composite.name + " computes");
        }
        return std::make_shared<Layer>(make_layer(kind, fusion, *found, body.outputs()[0], body.inputs()));
      }
    }
  }
  if (has_our_prefix(composite.name)) {
    user_error(composite.name + ": there is no composite of that name");
  }
  try {
    return std::make_shared<Layer>(make_added(composite.name, body, "", kDlaNearestEven));
  } catch (const UserError& error) {
    user_error(composite.name + ": " + error.what());
  }
}

}  // namespace fovea
