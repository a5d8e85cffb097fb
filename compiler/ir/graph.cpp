// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nodes, graphs and their builder.
#include "graph.h"

#include <algorithm>

#include "ops/operator.h"
#include "results.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
bool Graph::is_output(NodeId id) const { return std::find(outputs_.begin(), outputs_.end(), id) != outputs_.end(); }

NodeId GraphBuilder::add(Node node) {
  if (graph_.size() == kMostValues) {
    user_error("the network has more than " + std::to_string(kMostValues) + " values: inputs, constants, operators");
  }
  const auto is_constant = [this](NodeId input) { return graph_.is_constant(input); };
  const bool is_first = node.kind == NodeKind::kConstant || is_call(node, "shape_of");
  const bool depends = node.kind == NodeKind::kInput || is_call(node, "unsupported") || is_call(node, "extern");
  graph_.is_constant_.push_back(is_first ||
                                (!depends && std::all_of(node.inputs.begin(), node.inputs.end(), is_constant)));
  node.origin = shown_text(node.origin);
  for (auto& [name, value] : node.attributes) {
    if (auto* text = std::get_if<std::string>(&value)) {
      *text = shown_text(*text);
    }
  }
  graph_.nodes_.push_back(std::move(node));
  return graph_.nodes_.size() - 1;
}

NodeId GraphBuilder::input(std::string name, TensorType type) {
  Node node;
  node.kind = NodeKind::kInput;
  node.type = std::move(type);
  node.origin = std::move(name);
  graph_.inputs_.push_back(graph_.nodes_.size());
  return add(std::move(node));
}

NodeId GraphBuilder::constant(Tensor tensor, std::string origin) {
  return constant(std::make_shared<const Tensor>(std::move(tensor)), std::move(origin));
}

NodeId GraphBuilder::constant(std::shared_ptr<const Tensor> tensor, std::string origin) {
  Node node;
  node.kind = NodeKind::kConstant;
  node.type = tensor->type();
  node.origin = std::move(origin);
  node.constant = std::move(tensor);
  return add(std::move(node));
}

NodeId GraphBuilder::call(std::string_view op, std::vector<NodeId> inputs, Attributes attributes, std::string origin) {
  Call call;
  call.op = find_operator(op);
  internal_check(call.op != nullptr, "operator " + std::string(op) + " is in ops.def");
  call.origin = std::move(origin);
  call.attributes = std::move(attributes);
  return this->call(call, std::move(inputs));
}

NodeId GraphBuilder::call(const Call& call, std::vector<NodeId> inputs) {
  Node node;
  static_cast<Call&>(node) = call;
  return copy(node, std::move(inputs));
}

NodeId GraphBuilder::call(Function function, std::vector<NodeId> inputs, std::string origin) {
  for (std::string* text : {&function.layer, &function.region, &function.reason}) {
    *text = shown_text(*text);
  }
  Node node;
  node.kind = NodeKind::kFunction;
  node.origin = std::move(origin);
  node.function = std::make_shared<const Function>(std::move(function));
  return copy(node, std::move(inputs));
}

NodeId GraphBuilder::copy(const Node& node, std::vector<NodeId> inputs) {
  if (node.kind == NodeKind::kInput) {
    return input(node.origin, node.type);
  }
  Node copied = node;
  copied.inputs = std::move(inputs);
  std::vector<TensorType> types;
  for (NodeId id : copied.inputs) {
    types.push_back(graph_[id].type);
  }
  if (copied.kind == NodeKind::kCall) {
    copied.type = infer_type(copied, types);
  } else if (copied.kind == NodeKind::kFunction) {
    copied.type = type_of_packed(results_of(copied.function->body));
  }
  return add(std::move(copied));
}

Graph GraphBuilder::finish(std::vector<NodeId> outputs, std::vector<std::string> names) {
  std::transform(names.begin(), names.end(), names.begin(), shown_text);
  names.resize(outputs.size());
  graph_.outputs_ = std::move(outputs);
  graph_.output_names_ = std::move(names);
  graph_.users_.resize(graph_.size());
  for (NodeId id = 0; id < graph_.size(); ++id) {
    for (const NodeId input : graph_[id].inputs) {
      graph_.users_[input].push_back(id);
    }
  }
  Graph finished = std::move(graph_);
  graph_ = Graph();
  return finished;
}

bool is_composite(const Node& node) { return node.kind == NodeKind::kFunction && !node.function->is_region; }

std::string_view operation_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kInput:
      return "input";
    case NodeKind::kConstant:
      return "constant";
    case NodeKind::kFunction:
      return node.function->name;
    case NodeKind::kCall:
      break;
  }
  return node.op->name;
}

std::string describe(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (!node.origin.empty()) {
    return node.origin;
  }
  return std::string(operation_of(node)) + " %" + std::to_string(id);
}

}  // namespace fovea
