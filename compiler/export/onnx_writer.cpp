// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fills an ONNX model's protobuf.
#include "onnx_writer.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "operator_calls.h"

namespace fovea {
namespace {

constexpr int kIrVersion = 8, kOpset = 13;
constexpr std::string_view kMicrosoft = "com.microsoft";

std::string take(std::set<std::string>& taken, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  return name;
}

void declare(onnx::ValueInfoProto& value, const std::string& name, const TensorType& type) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_element_type(type.element));
  auto& shape = *tensor.mutable_shape();
  for (const int64_t size : type.shape) {
    shape.add_dim()->set_dim_value(size);
  }
}

struct AttributeSetter {
  onnx::AttributeProto& attribute;
  void operator()(int64_t value) const {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  void operator()(double value) const {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(value));
  }
  void operator()(const std::vector<int64_t>& values) const {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : values) {
      attribute.add_ints(value);
    }
  }
  void operator()(const std::string& value) const {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
  }
};

void set_operator(onnx::NodeProto& node, const std::string& op) {
  const std::size_t dot = op.rfind('.');
  node.set_op_type(dot == std::string::npos ? op : op.substr(dot + 1));
  if (dot != std::string::npos) {
    node.set_domain(op.substr(0, dot));
  }
}

/// "QLinearConv" of "QLinearConv" and of "com.microsoft.QLinearConv", in lower case.
std::string lower_case(std::string op) {
  op = op.substr(op.rfind('.') + 1);
  for (char& letter : op) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return op;
}

/// The first opset that has an operator.
int64_t least_opset(std::string_view op) {
  constexpr std::pair<std::string_view, int64_t> kLater[]{
      {"HardSwish", 14}, {"LayerNormalization", 17}, {"Mish", 18}, {"ReduceMax", 18},
      {"ReduceMin", 18}, {"ReduceProd", 18},         {"Gelu", 20}};
  const auto later =
      std::find_if(std::begin(kLater), std::end(kLater), [&](const auto& row) { return row.first == op; });
  return later == std::end(kLater) ? kOpset : later->second;
}

}  // namespace

OnnxWriter::OnnxWriter(const std::string& network, const std::vector<std::string>& reserved)
    : values_(reserved.begin(), reserved.end()) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("foveac");
  model_.add_opset_import()->set_version(kOpset);
  model_.mutable_graph()->set_name(network);
}

std::string OnnxWriter::take_value_name(const std::string& wanted) { return take(values_, wanted); }

std::string OnnxWriter::take_node_name(const std::string& wanted) { return take(nodes_, wanted); }

void OnnxWriter::input(const std::string& name, const TensorType& type) {
  declare(*model_.mutable_graph()->add_input(), name, type);
}

void OnnxWriter::output(const std::string& name, const TensorType& type) {
  declare(*model_.mutable_graph()->add_output(), name, type);
}

std::string OnnxWriter::constant(const std::string& wanted, const Tensor& tensor) {
  const std::string bytes(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  std::string& name = constants_[to_text(tensor.type()) + bytes];
  if (name.empty() || tensor.type().element == ElementType::kInt8) {
    name = take_value_name(wanted);
    auto& initializer = *model_.mutable_graph()->add_initializer();
    initializer.set_name(name);
    initializer.set_data_type(onnx_element_type(tensor.type().element));
    for (const int64_t size : tensor.type().shape) {
      initializer.add_dims(size);
    }
    initializer.set_raw_data(bytes);
  }
  return name;
}

void OnnxWriter::write(const std::vector<OnnxCall>& calls, const std::string& node,
                       const std::vector<std::string>& inputs, const std::string& result, std::size_t named) {
  std::vector<std::string> results;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string name = i == named ? node : take_node_name(node + "_" + lower_case(calls[i].op));
    auto& proto = *model_.mutable_graph()->add_node();
    proto.set_name(name);
    set_operator(proto, calls[i].op);
    auto& opset = *model_.mutable_opset_import(0);
    opset.set_version(std::max(opset.version(), least_opset(calls[i].op)));
    for (const OnnxOperand& operand : calls[i].operands) {
      proto.add_input(operand.input               ? inputs.at(*operand.input)
                      : operand.tensor != nullptr ? constant(node + "_" + operand.name, *operand.tensor)
                                                  : results.at(i - operand.back));
    }
    for (const auto& [attribute, value] : calls[i].attributes) {
      auto& written = *proto.add_attribute();
      written.set_name(attribute);
      std::visit(AttributeSetter{written}, value);
    }
    for (std::size_t place = 0; place < calls[i].result; ++place) {
      proto.add_output(take_value_name(name + "_unread"));
    }
    results.push_back(i + 1 == calls.size() ? result : take_value_name(name));
    proto.add_output(results.back());
  }
}

std::string OnnxWriter::finish() {
  for (const onnx::NodeProto& node : model_.graph().node()) {
    if (node.domain() == kMicrosoft) {
      auto& microsoft = *model_.add_opset_import();
      microsoft.set_domain(std::string(kMicrosoft));
      microsoft.set_version(1);
      break;
    }
  }
  return model_.SerializeAsString();
}

}  // namespace fovea
