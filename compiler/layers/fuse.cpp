// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the table of layer kinds, and finds the fusion that matches at a value.
#include "fuse.h"

#include <algorithm>

#include "ir/error.h"
#include "layer_kind.h"

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

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds{
#define FOVEA_LAYER_KIND(name) name##_kind(),
#include "layer_kinds.def"
#undef FOVEA_LAYER_KIND
  };
  return kinds;
}

std::optional<Fused> fuse_at(const Graph& graph, NodeId root) {
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      if (auto found = match(fusion.pattern, graph, root)) {
        auto layer = std::make_shared<Layer>(make_layer(kind, fusion, *found, root, found->inputs()));
        return Fused{fusion.composite, std::move(*found), std::move(layer)};
      }
    }
  }
  return std::nullopt;
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
