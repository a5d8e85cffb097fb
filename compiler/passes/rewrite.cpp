// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the old graph and builds the new one.
#include "rewrite.h"

#include "ops/operator.h"
#include "ops/unary.h"

namespace fovea {

Graph rewrite_graph(const Graph& graph, const Rewrite& rewrite) {
  GraphBuilder builder;
  std::vector<NodeId> places(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    std::vector<NodeId> inputs;
    for (const NodeId input : node.inputs) {
      inputs.push_back(places[input]);
    }
    const std::optional<NodeId> replacement =
        node.kind == NodeKind::kInput ? std::nullopt : rewrite(builder, id, inputs);
    places[id] = replacement ? *replacement : builder.copy(node, std::move(inputs));
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : graph.outputs()) {
    outputs.push_back(places[output]);
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

Graph rewrite_outputs(const Graph& graph, const OutputRewrite& rewrite) {
  GraphBuilder builder;
  for (const Node& node : graph.nodes()) {
    builder.copy(node, node.inputs);
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : graph.outputs()) {
    outputs.push_back(rewrite(builder, output));
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

NodeId add_copy(GraphBuilder& builder, NodeId value) {
  const std::string type(to_text(builder[value].type.element)), origin = builder[value].origin;
  return builder.call("cast", {value}, {{"dtype", type}}, origin);
}

bool is_quantized_again(const Graph& graph, NodeId id) {
  const auto is_on_the_way = [](const Node& node) {
    return is_elementwise(node) || is_call(node, "nn.bias_add") || is_call(node, "nn.max_pool2d");
  };
  do {
    if (!graph.is_read_once(id)) {
      return false;
    }
    id = graph.users()[id][0];
  } while (is_on_the_way(graph[id]));
  return is_call(graph[id], "qnn.quantize");
}

}  // namespace fovea
