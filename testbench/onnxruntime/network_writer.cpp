// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes drawn networks as ONNX.
#include "network_writer.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "network_values.h"
#include "operator_row.h"

namespace fovea {
namespace {

std::string quantized_name(const DrawnNode& node) { return node.name + "_q"; }

void declare(onnx::ValueInfoProto& value, const std::string& name, const std::vector<int64_t>& shape) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t size : shape) {
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

/// [M, C] as [C, M].
std::vector<int8_t> transpose(const std::vector<int8_t>& matrix, int64_t columns) {
  const auto C = static_cast<std::size_t>(columns), M = matrix.size() / C;
  std::vector<int8_t> transposed(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    transposed[i % C * M + i / C] = matrix[i];
  }
  return transposed;
}

}  // namespace

std::string float_name(const DrawnNode& node) { return node.name + "_f32"; }

std::string input_name(const DrawnNode& node) { return node.name; }

std::vector<NamedTensor> inputs_of(const DrawnNetwork& network) {
  std::vector<NamedTensor> inputs;
  for (const DrawnNode& node : network.nodes) {
    if (node.row == &kInputRow) {
      inputs.push_back({input_name(node), node.shape, node.data});
    }
  }
  return inputs;
}

void set_window(onnx::NodeProto& node, const DrawnWindow& window) {
  set_ints(node, "kernel_shape", {window.kernel[0], window.kernel[1]});
  set_ints(node, "strides", {window.strides[0], window.strides[1]});
  set_ints(node, "pads", {window.pads[0], window.pads[1], window.pads[2], window.pads[3]});
  if (window.dilations[0] != 1 || window.dilations[1] != 1) {
    set_ints(node, "dilations", {window.dilations[0], window.dilations[1]});
  }
  if (window.ceil_mode) {
    set_int(node, "ceil_mode", 1);
  }
  if (window.count_include_pad) {
    set_int(node, "count_include_pad", 1);
  }
}

NetworkWriter::NetworkWriter(const DrawnNetwork& network, NetworkForm form)
    : network_(network),
      is_qoperator_(form == NetworkForm::kQOperator || form == NetworkForm::kQOperatorInt8),
      is_int8_(form == NetworkForm::kQdqInt8 || form == NetworkForm::kQOperatorInt8) {
  model_.graph().Clear();
  model_.graph().set_name("random");
  auto& microsoft = *model_.model().add_opset_import();
  microsoft.set_domain("com.microsoft");
  microsoft.set_version(1);
  for (const DrawnNode& node : network.nodes) {
    write_node(node);
  }
  for (const ValueId output : network.outputs) {
    const DrawnNode& node = network.nodes[output];
    declare(*model_.graph().add_output(), dequantized(node, float_name(node)), node.shape);
  }
}

onnx::NodeProto& NetworkWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                                     const std::string& result, bool is_microsoft) {
  onnx::NodeProto& node = model_.node(op, result, inputs, {result});
  if (is_microsoft) {
    node.set_domain("com.microsoft");
  }
  return node;
}

void NetworkWriter::need_opset(int64_t opset) {
  auto& written = *model_.model().mutable_opset_import(0);
  written.set_version(std::max(written.version(), opset));
}

void NetworkWriter::add_quant(std::vector<std::string>& inputs, const DrawnNode& node) {
  inputs.push_back(node.name + "_scale");
  inputs.push_back(node.name + "_zero");
}

void NetworkWriter::add_scale(const std::string& of, const std::vector<float>& scales, onnx::TensorProto_DataType type,
                              int32_t zero_point) {
  const auto count = static_cast<int64_t>(scales.size());
  const std::vector<int64_t> shape = count == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{count};
  model_.floats(of + "_scale", shape, scales);
  model_.integers(of + "_zero", type, shape, std::vector<int64_t>(scales.size(), zero_point));
}

std::string NetworkWriter::numbers(const std::string& name, const std::vector<int64_t>& values) {
  model_.integers(name, onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())}, values);
  return name;
}

std::string NetworkWriter::floats(const std::string& name, const std::vector<float>& values) {
  model_.floats(name, {static_cast<int64_t>(values.size())}, values);
  return name;
}

std::string NetworkWriter::activation(const std::string& name, uint8_t value) {
  model_.integers(name, is_int8_ ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8, {1},
                  {value - (is_int8_ ? 128 : 0)});
  return name;
}

std::string NetworkWriter::weights(const DrawnNode& node, const std::vector<int64_t>& shape, bool transposed) {
  std::string name = node.name + "_weights";
  const std::vector<int8_t> values = transposed ? transpose(node.weights, shape[1]) : node.weights;
  const std::vector<int64_t> written = transposed ? std::vector<int64_t>{shape[1], shape[0]} : shape;
  model_.bytes(name, onnx::TensorProto::INT8, written, values.data(), values.size());
  add_scale(name, node.weight_scales, onnx::TensorProto::INT8, 0);
  return name;
}

std::string NetworkWriter::biases(const DrawnNode& node) {
  std::string name = node.name + "_biases";
  model_.integers(name, onnx::TensorProto::INT32, {static_cast<int64_t>(node.biases.size())},
                  {node.biases.begin(), node.biases.end()});
  return name;
}

std::string NetworkWriter::dequantized_parameter(const std::string& name, int64_t axis) {
  set_int(node("DequantizeLinear", {name, name + "_scale", name + "_zero"}, name + "_f32"), "axis", axis);
  return name + "_f32";
}

std::string NetworkWriter::float_weights(const DrawnNode& node, const std::vector<int64_t>& shape, bool transposed) {
  return dequantized_parameter(weights(node, shape, transposed), transposed ? 1 : 0);
}

std::string NetworkWriter::float_biases(const DrawnNode& node) {
  if (!node.float_biases.empty()) {
    std::string name = node.name + "_float_biases";
    model_.floats(name, {static_cast<int64_t>(node.float_biases.size())}, node.float_biases);
    return name;
  }
  std::vector<float> scales;
  for (std::size_t m = 0; m < node.weight_scales.size(); ++m) {
    scales.push_back(product_scale(network_, node, m));
  }
  const std::string name = biases(node);
  add_scale(name, scales, onnx::TensorProto::INT32, 0);
  return dequantized_parameter(name, 0);
}

std::string NetworkWriter::constant(const DrawnNode& node) {
  const DrawnConstant& c = *node.constant;
  std::string name = node.name + "_constant";
  const auto type = is_int8_ ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
  const int shift = is_int8_ ? 128 : 0;
  add_scale(name, {c.quant.scale}, type, c.quant.zero_point - shift);
  if (c.is_quantized_here) {
    model_.floats(name + "_real", c.shape, dequantize_bytes(c.bytes, c.quant));
    this->node("QuantizeLinear", {name + "_real", name + "_scale", name + "_zero"}, name);
    return name;
  }
  std::vector<int64_t> integers;
  for (const uint8_t byte : c.bytes) {
    integers.push_back(byte - shift);
  }
  model_.integers(name, type, c.shape, integers);
  return name;
}

std::string NetworkWriter::float_constant(const DrawnNode& node) {
  if (!node.constant->is_float) {
    const std::string name = constant(node);
    this->node("DequantizeLinear", {name, name + "_scale", name + "_zero"}, name + "_f32");
    return name + "_f32";
  }
  model_.floats(node.name + "_constant", node.constant->shape, node.constant->reals);
  return node.name + "_constant";
}

/// Dequantizes a value under `name`, once. \return `name`.
std::string NetworkWriter::dequantized(const DrawnNode& value, const std::string& name) {
  if (dequantized_.insert(name).second) {
    std::vector<std::string> inputs{quantized_name(value)};
    add_quant(inputs, value);
    node("DequantizeLinear", inputs, name);
  }
  return name;
}

void NetworkWriter::write_node(const DrawnNode& node) {
  add_scale(node.name, {node.quant.scale}, is_int8_ ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8,
            node.quant.zero_point - (is_int8_ ? 128 : 0));
  if (node.row == &kInputRow) {
    declare(*model_.graph().add_input(), input_name(node), node.shape);
    std::vector<std::string> inputs{input_name(node)};
    add_quant(inputs, node);
    this->node("QuantizeLinear", inputs, quantized_name(node));
  } else if ((is_qoperator_ && (node.row->has_uint8 == nullptr || node.row->has_uint8(node))) || node.is_on_integers) {
    write_uint8(node);
  } else {
    write_float(node);
  }
}

std::string NetworkWriter::write_clip_uint8(const DrawnNode& node, const std::string& x) {
  const auto type = is_int8_ ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
  const auto [low, high] = clip_bytes(node);
  model_.integers(node.name + "_low", type, {}, {low - (is_int8_ ? 128 : 0)});
  model_.integers(node.name + "_high", type, {}, {high - (is_int8_ ? 128 : 0)});
  return this->node("Clip", {x, node.name + "_low", node.name + "_high"}, node.name + "_clip").output(0);
}

std::string NetworkWriter::write_clip_float(const DrawnNode& node, const std::string& x) {
  model_.floats(node.name + "_low", {}, {node.clip->first});
  model_.floats(node.name + "_high", {}, {node.clip->second});
  return this->node("Clip", {x, node.name + "_low", node.name + "_high"}, node.name + "_clip").output(0);
}

void NetworkWriter::write_uint8(const DrawnNode& node) {
  std::vector<std::string> inputs;
  for (const ValueId input : node.inputs) {
    const DrawnNode& value = network_.nodes[input];
    inputs.push_back(quantized_name(value));
    // Where QDQ form dequantizes it for this node, an output is made at the same place among the calls.
    const auto& outputs = network_.outputs;
    const bool is_output = std::find(outputs.begin(), outputs.end(), input) != outputs.end();
    if (is_output && !node.is_on_integers) {
      dequantized(value, float_name(value));
    }
  }
  std::string result = node.row->write_uint8(*this, node, inputs);
  if (node.relu) {
    result = this->node("Clip", {result, node.name + "_zero"}, node.name + "_relu").output(0);
  }
  if (node.clip) {
    result = write_clip_uint8(node, result);
  }
  if (node.pool) {
    onnx::NodeProto& pool = this->node("MaxPool", {result}, node.name + "_pool");
    set_window(pool, node.pool_window);
    result = pool.output(0);
  }
  // The value's own name, whichever operator came last.
  model_.graph().mutable_node()->rbegin()->set_output(0, quantized_name(node));
}

void NetworkWriter::write_float(const DrawnNode& node) {
  std::vector<std::string> inputs;
  for (const ValueId input : node.inputs) {
    const DrawnNode& value = network_.nodes[input];
    inputs.push_back(
        dequantized(value, node.shares_dequantize ? float_name(value) : float_name(value) + "_for_" + node.name));
  }
  std::string result = node.row->write_float(*this, node, inputs);
  if (node.relu) {
    result = this->node("Relu", {result}, node.name + "_relu").output(0);
  }
  if (node.clip) {
    result = write_clip_float(node, result);
  }
  if (node.pool) {
    onnx::NodeProto& pool = this->node("MaxPool", {result}, node.name + "_pool");
    set_window(pool, node.pool_window);
    result = pool.output(0);
  }
  std::vector<std::string> quantize{result};
  add_quant(quantize, node);
  this->node("QuantizeLinear", quantize, quantized_name(node));
}

void write_network(const DrawnNetwork& network, NetworkForm form, const std::filesystem::path& path) {
  NetworkWriter writer(network, form);
  std::ofstream file(path, std::ios::binary);
  if (!writer.model().SerializeToOstream(&file) || !file.flush()) {
    throw std::runtime_error(path.string() + ": cannot be written");
  }
}

}  // namespace fovea
