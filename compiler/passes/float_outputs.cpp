// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "float_outputs.h"

#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {

Graph float_outputs(const Graph& graph) {
  return rewrite_outputs(graph, [&](GraphBuilder& builder, NodeId output) {
    if (!is_call(graph[output], "argmax") && !is_call(graph[output], "argmin")) {
      return output;
    }
    Node argmax = graph[output];
    if (argmax.type.shape.size() < 2) {
      argmax.attributes["keepdims"] = int64_t{1};
    }
    const NodeId indices = builder.copy(argmax, argmax.inputs);
    return builder.call("cast", {indices}, {{"dtype", std::string("float32")}}, argmax.origin);
  });
}

}  // namespace fovea
