// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads attributes by name and type.
#include "onnx_node.h"

#include "ir/text_number.h"
#include "onnx_tensor.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Whether an attribute is a value of that type, in its field and in no other.
bool is_of_type(const onnx::AttributeProto& attribute, onnx::AttributeProto_AttributeType type) {
  using Type = onnx::AttributeProto;
  return attribute.type() == type && attribute.ref_attr_name().empty() && (type == Type::INT || !attribute.has_i()) &&
         (type == Type::FLOAT || !attribute.has_f()) && (type == Type::STRING || !attribute.has_s()) &&
         (type == Type::TENSOR || !attribute.has_t()) && (type == Type::INTS || attribute.ints().empty()) &&
         (type == Type::FLOATS || attribute.floats().empty());
}

}  // namespace

const std::string& OnnxNode::name() const {
  return proto_.name().empty() && proto_.output_size() > 0 ? proto_.output(0) : proto_.name();
}

std::string OnnxNode::op() const {
  const bool is_standard = proto_.domain().empty() || proto_.domain() == "ai.onnx";
  return is_standard ? proto_.op_type() : proto_.domain() + "." + proto_.op_type();
}

int64_t OnnxNode::read_int(const std::string& name, int64_t fallback) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::INT);
  return attribute == nullptr ? fallback : attribute->i();
}

float OnnxNode::read_float(const std::string& name, float fallback) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::FLOAT);
  return attribute == nullptr ? fallback : attribute->f();
}

std::string OnnxNode::read_text(const std::string& name, const std::string& fallback) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::STRING);
  return attribute == nullptr ? fallback : attribute->s();
}

std::vector<int64_t> OnnxNode::read_ints(const std::string& name, std::vector<int64_t> fallback) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::INTS);
  if (attribute == nullptr) {
    return fallback;
  }
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<float> OnnxNode::read_floats(const std::string& name) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::FLOATS);
  if (attribute == nullptr) {
    return {};
  }
  return {attribute->floats().begin(), attribute->floats().end()};
}

double OnnxNode::read_number(const std::string& name) {
  const auto* attribute = find(name, true);
  check(attribute != nullptr, "has no " + name);
  if (is_of_type(*attribute, onnx::AttributeProto::INT)) {
    return static_cast<double>(attribute->i());
  }
  if (is_of_type(*attribute, onnx::AttributeProto::FLOAT)) {
    return attribute->f();
  }
  const Tensor tensor = to_tensor(*read_tensor(name), this->name());
  check(count_elements(tensor.type().shape) == 1, "attribute " + name + " of " + op() + " must be one number");
  return tensor.at(0);
}

const onnx::TensorProto* OnnxNode::read_tensor(const std::string& name) {
  const auto* attribute = find_typed(name, onnx::AttributeProto::TENSOR);
  return attribute == nullptr ? nullptr : &attribute->t();
}

void OnnxNode::require_int(const std::string& name, int64_t only) {
  const int64_t value = read_int(name, only);
  check(value == only, name + "=" + std::to_string(value) + " is not supported; " + std::to_string(only) + " is");
}

std::size_t OnnxNode::normalize_axis(int64_t axis, std::size_t rank) const {
  const auto axes = static_cast<int64_t>(rank);
  check(axis >= -axes && axis < axes,
        "axis " + std::to_string(axis) + " is outside a shape of " + std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

void OnnxNode::require_all_read() const {
  std::set<std::string> given;
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    check(read_.count(attribute.name()) != 0,
          "attribute " + attribute.name() + " of " + op() + " is not supported; export the model without it");
    check(given.insert(attribute.name()).second,
          "attribute " + attribute.name() + " of " + op() + " is there twice; give each once");
  }
  for (int place = 0; place < proto_.input_size(); ++place) {
    check(proto_.input(place).empty() || read_inputs_.count(place) != 0,
          "input " + std::to_string(place + 1) + " of " + op() + " is not supported; export the model without it");
  }
}

void OnnxNode::refuse(const std::string& problem) const { user_error(name() + ": " + problem); }

void OnnxNode::check(bool condition, const std::string& problem) const {
  if (!condition) {
    refuse(problem);
  }
}

const onnx::AttributeProto* OnnxNode::find(const std::string& name, bool mark) const {
  if (mark) {
    read_.insert(name);
  }
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

bool OnnxNode::has_input(int place) const {
  read_inputs_.insert(place);
  return place < proto_.input_size() && !proto_.input(place).empty();
}

const onnx::AttributeProto* OnnxNode::find_typed(const std::string& name, onnx::AttributeProto_AttributeType type) {
  const auto* attribute = find(name, true);
  check(attribute == nullptr || is_of_type(*attribute, type),
        "attribute " + name + " of " + op() + " must be of the type " + onnx::AttributeProto_AttributeType_Name(type));
  return attribute;
}

}  // namespace fovea
