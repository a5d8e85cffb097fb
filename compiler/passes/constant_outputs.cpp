// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "constant_outputs.h"

#include <algorithm>

namespace fovea {

Graph constant_outputs(const Graph& graph) {
  GraphBuilder builder;
  for (const Node& node : graph.nodes()) {
    builder.copy(node, node.inputs);
  }
  std::vector<NodeId> outputs = graph.outputs();
  for (NodeId& output : outputs) {
    const Node& node = graph[output];
    if (node.kind != NodeKind::kConstant) {
      continue;
    }
    if (node.type.shape.size() > 1 && node.type.shape[0] != 1) {
      TensorType type = node.type;
      type.shape.insert(type.shape.begin(), 1);
      Tensor batch(type);
      std::ranges::copy(node.constant->bytes(), batch.bytes().begin());
      output = builder.constant(std::move(batch), node.origin);
    }
    output = builder.call("cast", {output}, {{"dtype", std::string(to_text(node.type.element))}}, node.origin);
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

}  // namespace fovea
