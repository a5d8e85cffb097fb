// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs graphs on constant tensors.
#include "evaluate.h"

#include "ir/error.h"
#include "ir/operator.h"

namespace fovea {
namespace {

Tensor evaluate_node(const Node& node, const std::vector<const Tensor*>& inputs) {
  if (node.kind == NodeKind::kConstant) {
    return *node.constant;
  }
  if (node.kind == NodeKind::kCall) {
    return node.op->evaluate(node, inputs);
  }
  std::vector<Tensor> arguments;
  arguments.reserve(inputs.size());
  for (const Tensor* input : inputs) {
    arguments.push_back(*input);
  }
  return evaluate(node.function->body, arguments).at(0);
}

}  // namespace

std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& arguments) {
  internal_check(arguments.size() == graph.inputs().size(), "a graph is run with as many arguments as it has inputs");
  std::vector<std::optional<Tensor>> values(graph.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    values[graph.inputs()[i]] = arguments[i];
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (values[id].has_value()) {
      continue;
    }
    std::vector<const Tensor*> inputs;
    for (NodeId input : graph[id].inputs) {
      inputs.push_back(&*values[input]);
    }
    values[id] = evaluate_node(graph[id], inputs);
  }
  std::vector<Tensor> results;
  for (NodeId output : graph.outputs()) {
    results.push_back(*values[output]);
  }
  return results;
}

std::optional<Tensor> evaluate_constant(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (node.kind == NodeKind::kInput) {
    return std::nullopt;
  }
  if (is_call(node, "shape_of")) {
    const Tensor placeholder(graph[node.inputs[0]].type);
    return node.op->evaluate(node, {&placeholder});
  }
  std::vector<Tensor> values;
  for (NodeId input : node.inputs) {
    std::optional<Tensor> value = evaluate_constant(graph, input);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  std::vector<const Tensor*> inputs;
  inputs.reserve(values.size());
  for (const Tensor& value : values) {
    inputs.push_back(&value);
  }
  return evaluate_node(node, inputs);
}

}  // namespace fovea
