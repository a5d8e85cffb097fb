// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "copy_outputs.h"

#include <algorithm>

#include "ir/operator.h"

namespace fovea {
namespace {

/// Whether nothing computes a value: it is a constant's or an input's bytes.
bool is_given(const Graph& graph, NodeId id) {
  while (is_call(graph[id], "reshape")) {
    id = graph[id].inputs[0];
  }
  return graph[id].kind == NodeKind::kConstant || graph[id].kind == NodeKind::kInput;
}

}  // namespace

Graph copy_outputs(const Graph& graph) {
  GraphBuilder builder;
  for (const Node& node : graph.nodes()) {
    builder.copy(node, node.inputs);
  }
  std::vector<NodeId> outputs = graph.outputs();
  for (NodeId& output : outputs) {
    const Node& node = graph[output];
    if (!is_given(graph, output)) {
      continue;
    }
    if (node.kind == NodeKind::kConstant && node.type.shape.size() > 1 && node.type.shape[0] != 1) {
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
