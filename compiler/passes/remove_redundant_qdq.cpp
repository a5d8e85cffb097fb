// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the parameters of a quantize with those of the dequantize before it.
#include "remove_redundant_qdq.h"

#include "ir/operator.h"
#include "ir/qdq.h"
#include "rewrite.h"

namespace fovea {
namespace {

bool has_constant_parameters(const Graph& graph, const Node& call) {
  return constant_value(graph, call.inputs[1]) != nullptr && constant_value(graph, call.inputs[2]) != nullptr;
}

/// The axis matters only where there is a scale an index of it.
bool has_same_parameters(const Graph& graph, const Node& quantize, const Node& dequantize) {
  const QdqParameters parameters = read_qdq(graph, dequantize);
  return read_qdq(graph, quantize) == parameters &&
         (parameters.scales.size() == 1 || quantize.attributes == dequantize.attributes);
}

}  // namespace

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
    const bool is_redundant = has_constant_parameters(so_far, quantize) &&
                              has_constant_parameters(so_far, dequantize) &&
                              has_same_parameters(so_far, quantize, dequantize);
    return is_redundant ? std::optional<NodeId>(dequantize.inputs[0]) : std::nullopt;
  });
}

}  // namespace fovea
