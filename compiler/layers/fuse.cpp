// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the table of layer kinds, and finds the fusion that matches at a value.
#include "fuse.h"

#include <algorithm>

#include "layer_kind.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The match as a layer whose inputs are places among `arguments`.
Layer make_layer(const LayerKind& kind, const Fusion& fusion, const Match& match, NodeId root,
                 const std::vector<NodeId>& arguments) {
  Layer layer;
  layer.kind = &kind;
  layer.composite = fusion.composite.substr(fusion.composite.find('.') + 1);
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

/// A match of a row.
struct Found {
  const LayerKind& kind;
  const Fusion& fusion;
  Match match;
};

/// The first row that matches, of a kind other than `but`.
std::optional<Found> find_fusion(const Graph& graph, NodeId root, Sharing sharing, dla_rounding rounding,
                                 const LayerKind* but = nullptr) {
  for (const LayerKind& kind : layer_kinds()) {
    if (&kind == but) {
      continue;
    }
    for (const Fusion& fusion : kind.fusions) {
      const bool is_allowed = !fusion.rounds_to_nearest || rounding == kDlaNearestEven;
      if (auto found = is_allowed ? match(fusion.pattern, graph, root, sharing) : std::nullopt) {
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

std::optional<Fused> fuse_at(const Graph& graph, NodeId root, dla_rounding rounding) {
  const std::optional<Found> alone = find_fusion(graph, root, Sharing::kRefused, rounding);
  if (alone && !reads_computed_floats(alone->match)) {
    return make_fused(*alone, root);
  }
  const std::optional<Found> copied = find_fusion(graph, root, Sharing::kCopied, rounding);
  if (copied && !reads_computed_floats(copied->match)) {
    return make_fused(*copied, root);
  }
  return alone ? std::optional<Fused>(make_fused(*alone, root)) : std::nullopt;
}

std::vector<Fused> parts_of(const Graph& graph, NodeId root, const Fused& fused, dla_rounding rounding) {
  if (fused.layer == nullptr) {
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
  user_error(composite.name + ": there is no composite of that name");
}

}  // namespace fovea
