// SPDX-License-Identifier: Apache-2.0
/// \file
/// Offers each composite to the targets, one after another.
#include "annotate_target.h"

#include "find_joins.h"
#include "ops/operator.h"
#include "rewrite.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// A view is where what it views is, or the first of what it joins; so it cuts no region.
void place_view(Function& composite, const std::shared_ptr<const Layer>& layer, const Node& viewed) {
  composite.value = layer;
  composite.target = viewed.function->target;
}

/// Puts a composite on the first target that takes it; the reason is that of the first, which was asked for.
void place(Function& composite, const std::shared_ptr<const Layer>& layer, const std::vector<NamedTarget>& targets) {
  composite.value = layer;
  composite.reason = targets.size() == 1 ? "the network is compiled for the CPU" : "";
  for (const NamedTarget& candidate : targets) {
    const std::optional<std::string> reason = candidate.target->refuse(*layer);
    if (!reason) {
      composite.target = candidate.name;
      return;
    }
    composite.reason = composite.reason.empty() ? *reason : composite.reason;
  }
  internal_check(false, "the last target takes every layer");
}

}  // namespace

Graph annotate_target(const Graph& graph, const std::vector<NamedTarget>& targets) {
  const std::vector<std::shared_ptr<const Layer>> layers = layers_with_joins(graph);
  for (const NamedTarget& candidate : targets) {
    candidate.target->expect(layers);
  }
  auto layer = layers.begin();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_composite(node)) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    if (targets.size() > 1 && (*layer)->is_view() && is_composite(builder[inputs[0]])) {
      place_view(composite, *layer++, builder[inputs[0]]);
    } else {
      place(composite, *layer++, targets);
    }
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
