// SPDX-License-Identifier: Apache-2.0
/// \file
/// Offers each composite to the targets, and compares what they say.
#include "annotate_target.h"

#include <algorithm>
#include <span>

#include "find_joins.h"
#include "layers/layer_name.h"
#include "ops/operator.h"
#include "rewrite.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Puts a composite on the first target that takes it; the reason is that of the first, which was asked for.
void place(Function& composite, const Layer& layer, const std::vector<NamedTarget>& targets) {
  composite.reason = targets.size() == 1 ? "the network is compiled for the CPU" : "";
  for (const NamedTarget& candidate : targets) {
    const std::optional<std::string> reason = candidate.target->refuse(layer);
    if (!reason) {
      composite.target = candidate.name;
      return;
    }
    composite.reason = composite.reason.empty() ? *reason : composite.reason;
  }
  internal_check(false, "the last target takes every layer");
}

/// A target that takes a layer, and what that costs there.
struct Offer {
  const NamedTarget* target;
  std::optional<std::uint64_t> cost;

  std::string text() const { return cost ? std::to_string(*cost) + " cycles" : "no cost"; }
};

/// Whether another target, which comes after it, is cheaper.
bool loses_to(const Offer& offer, const Offer& later) { return offer.cost && later.cost && *later.cost < *offer.cost; }

/// Why an offer was not the best.
std::string why_lost(const Offer& offer, const Offer& best) {
  const bool is_dearer = offer.cost && best.cost && *offer.cost > *best.cost;
  return offer.target->name + ": " + offer.text() + (is_dearer ? ", more than " : ", and behind ") + best.target->name +
         " with " + best.text();
}

/// Puts a composite on the best of several accelerators that take it, by cost, or else by their order. The reason has
/// what each of the others said. \param targets  The last is the CPU.
void place_by_cost(Function& composite, const Layer& layer, const std::vector<NamedTarget>& targets) {
  std::vector<Offer> offers;
  std::vector<std::string> reasons;
  for (const NamedTarget& candidate : std::span(targets).first(targets.size() - 1)) {
    if (std::optional<std::string> reason = candidate.target->refuse(layer)) {
      reasons.push_back(candidate.name + ": " + *reason);
    } else {
      offers.push_back({&candidate, candidate.target->cost(layer)});
    }
  }
  composite.target = targets.back().name;
  if (!offers.empty()) {
    const Offer* best = &offers.front();
    for (const Offer& offer : offers) {
      best = loses_to(*best, offer) ? &offer : best;
    }
    composite.target = best->target->name;
    for (const Offer& offer : offers) {
      if (&offer != best) {
        reasons.push_back(why_lost(offer, *best));
      }
    }
  }
  composite.reason = "";
  for (const std::string& reason : reasons) {
    composite.reason += (composite.reason.empty() ? "" : "; ") + reason;
  }
}

/// A layer as it will be called, for targets that ask by name.
Layer named(const Layer& layer, const Node& call, LayerNames& names) {
  Layer copy = layer;
  copy.onnx_name = copy.onnx_name.empty() ? call.origin : copy.onnx_name;
  copy.name = call.function->layer.empty() ? names.take(copy.kind->has_own_name ? copy.onnx_name : "", copy.composite)
                                           : names.take(call.function->layer, copy.composite);
  return copy;
}

}  // namespace

Graph annotate_target(const Graph& graph, const std::vector<NamedTarget>& targets) {
  const std::vector<std::shared_ptr<const Layer>> layers = layers_with_joins(graph, alignment_of(targets));
  for (const NamedTarget& candidate : targets) {
    candidate.target->expect(layers);
  }
  const bool has_added = std::ranges::any_of(targets, &NamedTarget::is_added);
  LayerNames names;
  auto layer = layers.begin();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_composite(node)) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    composite.value = *layer++;
    const Layer& given = *composite.value;
    const Layer known = has_added ? named(given, node, names) : Layer();
    if (targets.size() > 1 && given.is_view() && is_composite(builder[inputs[0]])) {
      // A view is where what it views is, or the first of what it joins; so it cuts no region.
      composite.target = builder[inputs[0]].function->target;
    } else if (has_added) {
      place_by_cost(composite, known, targets);
    } else {
      place(composite, given, targets);
    }
    if (std::holds_alternative<Several>(given.body) && composite.target == targets.back().name) {
      user_error(describe(graph, id) + ": " + composite.name +
                 " has several results, which a target of your own computes" +
                 (has_added ? "; " + composite.reason : ""));
    }
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
