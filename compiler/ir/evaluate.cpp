// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs graphs on constant tensors.
#include "evaluate.h"

#include <algorithm>
#include <map>
#include <set>

#include "ops/operator.h"
#include "ops/ops.h"
#include "results.h"
#include "tensor/error.h"

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
  const std::vector<Tensor> results = evaluate(node.function->body, arguments);
  if (results.size() == 1) {
    return results[0];
  }
  Tensor all(node.type);
  const std::vector<ExternOutput> places = results_of(node.function->body);
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::ranges::copy(results[i].bytes(), all.bytes().subspan(static_cast<std::size_t>(places[i].offset)).begin());
  }
  return all;
}

/// The values from which a constant value is computed, itself the last, in an order in which they can be; of other
/// constants only the value itself.
std::set<NodeId> needed_constants(const Graph& graph, NodeId id) {
  std::set<NodeId> needed;
  std::vector<NodeId> open{id};
  while (!open.empty()) {
    const NodeId next = open.back();
    open.pop_back();
    const Node& node = graph[next];
    if ((node.kind == NodeKind::kConstant && next != id) || !needed.insert(next).second || is_call(node, "shape_of")) {
      continue;
    }
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  return needed;
}

}  // namespace

void ConstantBudget::add_given(const Node& constant) {
  most_bytes_ += kTimes * size_bytes(constant.type);
  most_steps_ += static_cast<double>(kStepsEach) * static_cast<double>(count_elements(constant.type.shape));
}

void ConstantBudget::add_computed(const Node& call, const std::vector<const Tensor*>& inputs) {
  bytes_ += size_bytes(call.type);
  check_call(bytes_ <= most_bytes_, call,
             "what is computed from constants up to here takes more than " + std::to_string(most_bytes_ >> 20) +
                 " MiB; give it as an input of the network, or smaller");
  if (call.kind != NodeKind::kCall) {
    return;
  }
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  const auto definition = definition_of(call, types);
  steps_ += definition ? count_steps(*definition) : 0;
  check_call(steps_ <= most_steps_, call,
             "what is computed from constants up to here takes more than " +
                 std::to_string(static_cast<std::size_t>(most_steps_)) +
                 " steps; give it as a constant, or as an input of the network");
}

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
  if (!graph.is_constant(id)) {
    return std::nullopt;
  }
  std::map<NodeId, Tensor> values;
  ConstantBudget budget;
  for (const NodeId each : needed_constants(graph, id)) {
    const Node& node = graph[each];
    if (is_call(node, "shape_of")) {
      values.emplace(each, evaluate_shape(graph[node.inputs[0]].type.shape));
      continue;
    }
    std::vector<const Tensor*> inputs;
    for (const NodeId input : node.inputs) {
      const Node& source = graph[input];
      if (source.kind == NodeKind::kConstant) {
        budget.add_given(source);
        inputs.push_back(source.constant.get());
      } else {
        inputs.push_back(&values.at(input));
      }
    }
    if (node.kind != NodeKind::kConstant) {
      budget.add_computed(node, inputs);
    }
    values.emplace(each, evaluate_node(node, inputs));
  }
  return std::move(values.at(id));
}

}  // namespace fovea
