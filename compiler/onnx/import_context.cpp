// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names and values during an import.
#include "import_context.h"

#include "ir/error.h"
#include "ir/operator.h"
#include "onnx_tensor.h"
#include "ops/evaluate.h"

namespace fovea {

ImportContext::ImportContext(const onnx::GraphProto& graph, std::filesystem::path folder) : folder_(std::move(folder)) {
  for (const onnx::TensorProto& initializer : graph.initializer()) {
    initializers_[initializer.name()] = &initializer;
  }
}

Tensor ImportContext::read_tensor(const onnx::TensorProto& proto, const std::string& owner) const {
  return to_tensor(proto, owner, folder_);
}

void ImportContext::define(const std::string& name, NodeId id) {
  internal_check(values_.emplace(name, id).second, "check_graph() finds values that are made twice");
}

NodeId ImportContext::find(const std::string& name) {
  if (const auto value = values_.find(name); value != values_.end()) {
    return value->second;
  }
  if (const auto missing = missing_.find(name); missing != missing_.end()) {
    user_error(missing->second);
  }
  const auto initializer = initializers_.find(name);
  internal_check(initializer != initializers_.end(), "check_graph() finds values that nothing makes");
  return values_[name] = builder.constant(read_tensor(*initializer->second, name), name);
}

NodeId ImportContext::input(const OnnxNode& node, int place) {
  node.check(node.has_input(place), node.op() + " needs input " + std::to_string(place + 1));
  return find(node.inputs()[place]);
}

std::optional<NodeId> ImportContext::optional_input(const OnnxNode& node, int place) {
  return node.has_input(place) ? std::optional<NodeId>(input(node, place)) : std::nullopt;
}

Tensor ImportContext::constant_input(const OnnxNode& node, int place) {
  std::optional<Tensor> value = evaluate_constant(builder.so_far(), input(node, place));
  node.check(value.has_value(), "input " + std::to_string(place + 1) + " of " + node.op() +
                                    " must be a constant, not computed from the network's input");
  return std::move(*value);
}

NodeId ImportContext::constant_value_input(const OnnxNode& node, int place) {
  const NodeId id = input(node, place);
  return builder[id].kind == NodeKind::kConstant ? id : builder.constant(constant_input(node, place), node.name());
}

std::vector<int64_t> ImportContext::ints_input(const OnnxNode& node, int place) {
  const Tensor tensor = constant_input(node, place);
  node.check(tensor.type().element == ElementType::kInt64,
             "input " + std::to_string(place + 1) + " of " + node.op() + " must be int64");
  const auto values = tensor.values<int64_t>();
  return {values.begin(), values.end()};
}

bool ImportContext::is_constant(NodeId id) const { return fovea::is_constant(builder.so_far(), id); }

NodeId ImportContext::call(const OnnxNode& node, std::string_view op, std::vector<NodeId> inputs,
                           Attributes attributes) {
  return builder.call(op, std::move(inputs), std::move(attributes), node.name());
}

NodeId ImportContext::move_elements(const OnnxNode& node, std::string_view op, NodeId id, Attributes attributes) {
  const Node source = builder[id];
  const bool has_one_scale = is_call(source, "qnn.dequantize") && count_elements(shape(source.inputs[1])) == 1;
  if (!has_one_scale) {
    return call(node, op, {id}, std::move(attributes));
  }
  const NodeId moved = call(node, op, {source.inputs[0]}, std::move(attributes));
  return builder.call("qnn.dequantize", {moved, source.inputs[1], source.inputs[2]}, source.attributes, source.origin);
}

}  // namespace fovea
