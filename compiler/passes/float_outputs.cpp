// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "float_outputs.h"

#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {

Graph float_outputs(const Graph& graph) {
  return rewrite_outputs(graph, [&](GraphBuilder& builder, NodeId output) {
    const Node& node = graph[output];
    if (node.type.element != ElementType::kInt32 && node.type.element != ElementType::kInt64) {
      return output;
    }
    NodeId integers = output;
    if ((is_call(node, "argmax") || is_call(node, "argmin")) && node.type.shape.size() < 2) {
      Node argmax = node;
      argmax.attributes["keepdims"] = int64_t{1};
      integers = builder.copy(argmax, argmax.inputs);
    }
    return builder.call("cast", {integers}, {{"dtype", std::string("float32")}}, node.origin);
  });
}

}  // namespace fovea
