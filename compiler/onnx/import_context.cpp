// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names and values during an import.
#include "import_context.h"

#include <algorithm>
#include <numeric>

#include "ir/evaluate.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The type that a model declares of a value; nothing where it is none, or not known in full.
std::optional<TensorType> read_declared_type(const onnx::ValueInfoProto& info) {
  const auto& tensor = info.type().tensor_type();
  if (!tensor.has_shape()) {
    return std::nullopt;
  }
  TensorType type;
  try {
    type.element = to_element_type(tensor.elem_type(), info.name());
  } catch (const UserError&) {
    return std::nullopt;
  }
  for (int place = 0; place < tensor.shape().dim_size(); ++place) {
    const auto& dimension = tensor.shape().dim(place);
    type.shape.push_back(place == 0 && !dimension.has_dim_value() ? 1 : dimension.dim_value());
  }
  const bool is_known = std::all_of(type.shape.begin(), type.shape.end(), [](int64_t size) { return size > 0; });
  return is_known ? std::optional(type) : std::nullopt;
}

/// The same of an activation; kUnknownType where it is none.
TensorType activation_type(const std::optional<TensorType>& type) {
  const bool is_activation =
      type && (type->element == ElementType::kFloat32 || size_bytes(type->element) == 1) && type->shape.size() > 1;
  return is_activation ? *type : kUnknownType;
}

}  // namespace

ImportContext::ImportContext(const onnx::GraphProto& graph, std::filesystem::path folder)
    : graph_(graph), folder_(std::move(folder)) {
  for (const onnx::TensorProto& initializer : graph.initializer()) {
    initializers_[initializer.name()] = &initializer;
    narrow_types_[initializer.name()] = find_narrow_type(initializer.data_type());
  }
  for (const onnx::NodeProto& node : graph.node()) {
    note_narrow_type(node);
  }
  for (const auto* infos : {&graph.value_info(), &graph.output()}) {
    for (const onnx::ValueInfoProto& info : *infos) {
      declared_[info.name()] = &info;
    }
  }
}

Tensor ImportContext::read_tensor(const onnx::TensorProto& proto, const std::string& owner) const {
  return to_tensor(proto, owner, folder_);
}

void ImportContext::note_narrow_type(const onnx::NodeProto& node) {
  if (node.output_size() != 1) {
    return;
  }
  if (node.op_type() == "Constant" && node.attribute_size() == 1) {
    narrow_types_[node.output(0)] = find_narrow_type(node.attribute(0).t().data_type());
  } else if (node.op_type() == "Identity" && node.input_size() == 1) {
    narrow_types_[node.output(0)] = narrow_type(node.input(0));
  }
}

const NarrowType* ImportContext::narrow_type(const std::string& name) const {
  const auto found = narrow_types_.find(name);
  return found == narrow_types_.end() ? nullptr : found->second;
}

void ImportContext::define(const std::string& name, NodeId id) {
  internal_check(values_.emplace(name, id).second, "check_graph() finds values that are made twice");
}

bool ImportContext::reads_unknown(const OnnxNode& node) const {
  const auto inputs = node.inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    const auto value = values_.find(input);
    return value != values_.end() && is_call(builder[value->second], "unsupported") &&
           builder[value->second].type == kUnknownType;
  });
}

std::string ImportContext::reader_other_than(const std::string& op, const std::string& value) const {
  for (const onnx::NodeProto& reader : graph_.node()) {
    if (reader.op_type() != op && std::count(reader.input().begin(), reader.input().end(), value) != 0) {
      return OnnxNode(reader).name();
    }
  }
  return "";
}

std::optional<TensorType> ImportContext::declared_type(const std::string& name) const {
  const auto declared = declared_.find(name);
  return declared == declared_.end() ? std::nullopt : read_declared_type(*declared->second);
}

NodeId ImportContext::unsupported(const OnnxNode& node, const std::string& output, const std::string& why) {
  std::vector<NodeId> inputs;
  for (const std::string& input : node.inputs()) {
    if (const auto value = values_.find(input); value != values_.end()) {
      inputs.push_back(value->second);
    }
  }
  const TensorType type = activation_type(declared_type(output));
  return add_unsupported(node.name(), node.op(), why, std::move(inputs), why.empty() ? kUnknownType : type);
}

NodeId ImportContext::unsupported(const std::string& input, const std::string& why) {
  return add_unsupported(input, "input", why, {}, kUnknownType);
}

NodeId ImportContext::add_unsupported(const std::string& name, const std::string& op, const std::string& why,
                                      std::vector<NodeId> inputs, const TensorType& type) {
  if (inputs.empty()) {
    inputs = {builder.constant(Tensor(kUnknownType), name)};
  }
  return builder.call("unsupported", std::move(inputs), unsupported_attributes(op, why, type), name);
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
  const ElementType element = tensor.type().element;
  node.check(element == ElementType::kInt64 || element == ElementType::kInt32,
             "input " + std::to_string(place + 1) + " of " + node.op() + " must be int64 or int32");
  std::vector<int64_t> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(tensor.type().shape)); ++i) {
    values.push_back(tensor.integer_at(i));
  }
  return values;
}

std::vector<int64_t> ImportContext::read_ints(OnnxNode& node, int place, const std::string& attribute,
                                              const std::vector<int64_t>& fallback) {
  return node.has_input(place) ? ints_input(node, place) : node.read_ints(attribute, fallback);
}

bool ImportContext::is_constant(NodeId id) const { return builder.so_far().is_constant(id); }

NodeId ImportContext::number(const OnnxNode& node, float value) {
  return builder.constant(Tensor::of<float>({}, {value}), node.name());
}

NodeId ImportContext::call(const OnnxNode& node, std::string_view op, std::vector<NodeId> inputs,
                           Attributes attributes) {
  return builder.call(op, std::move(inputs), std::move(attributes), node.name());
}

NodeId ImportContext::take(const OnnxNode& node, NodeId x, std::size_t axis, const std::vector<int64_t>& places) {
  std::vector<int64_t> all(static_cast<std::size_t>(shape(x)[axis]));
  std::iota(all.begin(), all.end(), 0);
  if (places == all) {
    return x;
  }
  const auto count = static_cast<int64_t>(places.size());
  const NodeId indices = builder.constant(Tensor::of<int64_t>({count}, places), node.name());
  return call(node, "take", {x, indices}, {{"axis", static_cast<int64_t>(axis)}});
}

NodeId ImportContext::move_elements(const std::string& name, std::string_view op, NodeId id, Attributes attributes) {
  const Node source = builder[id];
  const bool has_one_scale = is_call(source, "qnn.dequantize") && count_elements(shape(source.inputs[1])) == 1;
  if (!has_one_scale) {
    return builder.call(op, {id}, std::move(attributes), name);
  }
  const NodeId moved = builder.call(op, {source.inputs[0]}, std::move(attributes), name);
  return builder.call("qnn.dequantize", {moved, source.inputs[1], source.inputs[2]}, source.attributes, source.origin);
}

}  // namespace fovea
