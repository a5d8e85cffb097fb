// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks through one cast, or through two.
#include "remove_redundant_casts.h"

#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// Whether every number of type `narrow` is one of type `wide`.
bool holds_all(ElementType wide, ElementType narrow) {
  if (wide == narrow) {
    return true;
  }
  if (narrow == ElementType::kUint8 || narrow == ElementType::kInt8) {
    return wide == ElementType::kFloat32 || wide == ElementType::kInt32 || wide == ElementType::kInt64;
  }
  return narrow == ElementType::kInt32 && wide == ElementType::kInt64;
}

}  // namespace

Graph remove_redundant_casts(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_call(node, "cast")) {
      return std::optional<NodeId>();
    }
    const Node& from = builder[inputs[0]];
    if (from.type == node.type) {
      return std::optional<NodeId>(inputs[0]);
    }
    const bool is_there_and_back = is_call(from, "cast") && builder[from.inputs[0]].type == node.type &&
                                   holds_all(from.type.element, node.type.element);
    return is_there_and_back ? std::optional<NodeId>(from.inputs[0]) : std::nullopt;
  });
}

}  // namespace fovea
