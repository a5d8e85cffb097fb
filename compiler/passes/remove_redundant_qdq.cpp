// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the parameters of a quantize with those of the dequantize before it.
#include "remove_redundant_qdq.h"

#include "ir/quantization.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {

Graph remove_redundant_qdq(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_call(node, "qnn.quantize") || !is_call(builder[inputs[0]], "qnn.dequantize")) {
      return std::optional<NodeId>();
    }
    const Node& dequantize = builder[inputs[0]];
    Node quantize = node;
    quantize.inputs = inputs;
    const Graph& so_far = builder.so_far();
    const bool is_redundant = has_constant_quantization(so_far, quantize) &&
                              has_constant_quantization(so_far, dequantize) &&
                              read_quantization(so_far, quantize) == read_quantization(so_far, dequantize);
    return is_redundant ? std::optional<NodeId>(dequantize.inputs[0]) : std::nullopt;
  });
}

}  // namespace fovea
