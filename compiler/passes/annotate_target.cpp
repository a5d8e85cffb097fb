// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matches each composite's body once more, with the pattern that it came from, and asks for a refusal.
#include "annotate_target.h"

#include "ir/error.h"
#include "patterns/fusion.h"
#include "patterns/table.h"
#include "rewrite.h"

namespace fovea {
namespace {

std::optional<std::string> refuse(const Function& composite, Target target, const MachineLimits& limits) {
  if (target == Target::kCpu) {
    return "the network is compiled for the CPU";
  }
  const Fusion* fusion = find_fusion(composite.name);
  if (fusion == nullptr) {
    user_error(composite.name + ": there is no composite of that name");
  }
  const auto found = match(fusion->pattern, composite.body, composite.body.outputs().at(0));
  if (!found) {
    user_error(composite.name + ": its body is not what " + composite.name + " computes");
  }
  return fusion->refuse(*found, limits);
}

}  // namespace

Graph annotate_target(const Graph& graph, Target target, const MachineLimits& limits) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (node.kind != NodeKind::kFunction || node.function->is_region) {
      return std::optional<NodeId>();
    }
    Function composite = *node.function;
    const auto reason = refuse(composite, target, limits);
    composite.target = reason ? Target::kCpu : Target::kDla;
    composite.reason = reason.value_or("");
    return std::optional<NodeId>(builder.call(std::move(composite), inputs, node.origin));
  });
}

}  // namespace fovea
