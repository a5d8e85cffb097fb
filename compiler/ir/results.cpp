// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lays out results, and finds them again by where they are.
#include "results.h"

#include <algorithm>

#include "ops/operator.h"

namespace fovea {

std::vector<ExternOutput> results_of(const Graph& body) {
  std::vector<OptionalType> types;
  for (const NodeId output : body.outputs()) {
    types.emplace_back(body[output].type);
  }
  return packed(types);
}

NodeId add_result(GraphBuilder& builder, NodeId function, const ExternOutput& result, std::string origin) {
  return builder.call("extern_output", {function}, extern_output_attributes(result), std::move(origin));
}

std::optional<std::size_t> result_read(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (!is_call(node, "extern_output") || graph[node.inputs[0]].kind != NodeKind::kFunction) {
    return std::nullopt;
  }
  const std::vector<ExternOutput> results = results_of(graph[node.inputs[0]].function->body);
  const auto found = std::ranges::find_if(results, [&](const ExternOutput& result) {
    return result.offset == int_attribute(node, "offset", 0) && result.type == node.type;
  });
  return found == results.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - results.begin()));
}

}  // namespace fovea
