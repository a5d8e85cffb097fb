// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "float_outputs.h"

#include "ir/operator.h"

namespace fovea {

Graph float_outputs(const Graph& graph) {
  GraphBuilder builder;
  for (const Node& node : graph.nodes()) {
    builder.copy(node, node.inputs);
  }
  std::vector<NodeId> outputs = graph.outputs();
  for (NodeId& output : outputs) {
    if (!is_call(graph[output], "argmax") && !is_call(graph[output], "argmin")) {
      continue;
    }
    Node argmax = graph[output];
    if (argmax.type.shape.size() < 2) {
      argmax.attributes["keepdims"] = int64_t{1};
    }
    const NodeId indices = builder.copy(argmax, argmax.inputs);
    output = builder.call("cast", {indices}, {{"dtype", std::string("float32")}}, argmax.origin);
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

}  // namespace fovea
