// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs graphs on constant tensors.
#include "evaluate.h"

#include <map>
#include <set>

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

/// The values from which a value is computed, itself the last, in an order in which they can be; of other constants
/// only the value itself. Nothing where it depends on an input, or on what is unsupported.
std::optional<std::vector<NodeId>> needed_constants(const Graph& graph, NodeId id) {
  std::set<NodeId> needed;
  std::vector<NodeId> open{id};
  while (!open.empty()) {
    const NodeId next = open.back();
    open.pop_back();
    const Node& node = graph[next];
    if (node.kind == NodeKind::kInput || is_call(node, "unsupported")) {
      return std::nullopt;
    }
    if ((node.kind == NodeKind::kConstant && next != id) || !needed.insert(next).second || is_call(node, "shape_of")) {
      continue;
    }
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  return std::vector<NodeId>(needed.begin(), needed.end());
}

}  // namespace

Tensor evaluate_shape(const Shape& shape) { return Tensor::of<int64_t>({static_cast<int64_t>(shape.size())}, shape); }

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

bool is_constant(const Graph& graph, NodeId id) { return needed_constants(graph, id).has_value(); }

std::optional<Tensor> evaluate_constant(const Graph& graph, NodeId id) {
  const auto needed = needed_constants(graph, id);
  if (!needed) {
    return std::nullopt;
  }
  std::map<NodeId, Tensor> values;
  for (const NodeId each : *needed) {
    const Node& node = graph[each];
    if (is_call(node, "shape_of")) {
      values.emplace(each, evaluate_shape(graph[node.inputs[0]].type.shape));
      continue;
    }
    std::vector<const Tensor*> inputs;
    for (const NodeId input : node.inputs) {
      const Node& source = graph[input];
      inputs.push_back(source.kind == NodeKind::kConstant ? source.constant.get() : &values.at(input));
    }
    values.emplace(each, evaluate_node(node, inputs));
  }
  return std::move(values.at(id));
}

}  // namespace fovea
