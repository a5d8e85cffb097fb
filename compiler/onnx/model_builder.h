// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX models for the tests, built with the protobuf API.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace fovea {

/// A model of opset 13 that grows node by node. It has a QuantizeLinear from the start, so that it counts as quantized:
/// "x_q", of the input "x", scale "scale", zero point "zero" 128.
class ModelBuilder {
 public:
  explicit ModelBuilder(const std::vector<int64_t>& input_shape = {0, 1, 4, 4}, float scale = 0.5F) {
    model_.set_ir_version(7);
    model_.add_opset_import()->set_version(13);
    input("x", input_shape);
    floats("scale", {}, {scale});
    integers("zero", onnx::TensorProto::UINT8, {}, {128});
    node("QuantizeLinear", "quantize", {"x", "scale", "zero"}, {"x_q"});
  }

  /// A float input; a dimension of 0 is dynamic.
  onnx::ValueInfoProto& input(const std::string& name, const std::vector<int64_t>& shape) {
    auto& input = *graph().add_input();
    input.set_name(name);
    auto& tensor = *input.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    tensor.mutable_shape();
    for (int64_t size : shape) {
      auto& dimension = *tensor.mutable_shape()->add_dim();
      if (size != 0) {
        dimension.set_dim_value(size);
      }
    }
    return input;
  }

  onnx::TensorProto& floats(const std::string& name, const std::vector<int64_t>& shape,
                            const std::vector<float>& values) {
    auto& tensor = initializer(name, onnx::TensorProto::FLOAT, shape);
    for (float value : values) {
      tensor.add_float_data(value);
    }
    return tensor;
  }

  /// An initializer of an integer type.
  onnx::TensorProto& integers(const std::string& name, onnx::TensorProto_DataType type,
                              const std::vector<int64_t>& shape, const std::vector<int64_t>& values) {
    auto& tensor = initializer(name, type, shape);
    for (int64_t value : values) {
      if (type == onnx::TensorProto::INT64) {
        tensor.add_int64_data(value);
      } else {
        tensor.add_int32_data(static_cast<int32_t>(value));
      }
    }
    return tensor;
  }

  /// An initializer by its bytes, little endian.
  onnx::TensorProto& bytes(const std::string& name, onnx::TensorProto_DataType type, const std::vector<int64_t>& shape,
                           const void* data, size_t size) {
    auto& tensor = initializer(name, type, shape);
    tensor.set_raw_data(data, size);
    return tensor;
  }

  onnx::NodeProto& node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
    auto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& input : inputs) {
      node.add_input(input);
    }
    for (const std::string& output : outputs) {
      node.add_output(output);
    }
    return node;
  }

  ModelBuilder& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }

  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  onnx::ModelProto& model() { return model_; }

 private:
  onnx::TensorProto& initializer(const std::string& name, onnx::TensorProto_DataType type,
                                 const std::vector<int64_t>& shape) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t size : shape) {
      tensor.add_dims(size);
    }
    return tensor;
  }

  onnx::ModelProto model_;
};

inline onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                           onnx::AttributeProto_AttributeType type) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline void set_int(onnx::NodeProto& node, const std::string& name, int64_t value) {
  add_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

inline void set_float(onnx::NodeProto& node, const std::string& name, float value) {
  add_attribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}

inline void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  add_attribute(node, name, onnx::AttributeProto::STRING).set_s(value);
}

inline void set_ints(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto& attribute = add_attribute(node, name, onnx::AttributeProto::INTS);
  for (int64_t value : values) {
    attribute.add_ints(value);
  }
}

}  // namespace fovea
