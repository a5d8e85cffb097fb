// SPDX-License-Identifier: Apache-2.0
/// \file
/// A drawn network as ONNX: in QDQ form, or on 8-bit operators, as which ONNX Runtime is asked about it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "onnx/model_builder.h"
#include "onnxruntime_oracle.h"
#include "random_network.h"

namespace fovea {

enum class NetworkForm {
  kQdq,           ///< Float operators between DequantizeLinear and QuantizeLinear, opset 13.
  kQOperator,     ///< QLinearConv, com.microsoft's QLinearAdd, ...: nothing left for an optimizer to decide.
  kQdqInt8,       ///< The first with int8 activations: values and zero points less 128.
  kQOperatorInt8  ///< The second with int8 activations.
};

/// Name of an input or output of the written network, of a value's dequantized form.
std::string float_name(const DrawnNode& node);
/// ... and of a network input before it is quantized.
std::string input_name(const DrawnNode& node);

/// The network's inputs under these names, in order.
std::vector<NamedTensor> inputs_of(const DrawnNetwork& network);

/// Writes a network.
void write_network(const DrawnNetwork& network, NetworkForm form, const std::filesystem::path& path);

/// Sets the attributes of a window; those of pools where they are not as by default.
void set_window(onnx::NodeProto& node, const DrawnWindow& window);

/// What the rows of operators write with.
class NetworkWriter {
 public:
  NetworkWriter(const DrawnNetwork& network, NetworkForm form);
  const onnx::ModelProto& model() { return model_.model(); }

  /// Adds a node that makes `result` of a drawn node's value, and is called so; com.microsoft's where `is_microsoft`.
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& result,
                        bool is_microsoft = false);

  /// Writes the network in that opset at least.
  void need_opset(int64_t opset);

  /// Names of initializers.
  std::string floats(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
    return model_.floats(name, shape, values).name();
  }

  /// Gives the node that was added last another name.
  void name_last(const std::string& name) { model_.graph().mutable_node()->rbegin()->set_name(name); }

  const DrawnNode& input_of(const DrawnNode& node, std::size_t index) const {
    return network_.nodes[node.inputs[index]];
  }

  /// Names of a value's scale and zero point, as a QLinear operator reads them, behind `inputs`.
  static void add_quant(std::vector<std::string>& inputs, const DrawnNode& node);

  /// Initializers under a name: int64 or float32 numbers; an activation's integer, as the form's type has it.
  std::string numbers(const std::string& name, const std::vector<int64_t>& values);
  std::string floats(const std::string& name, const std::vector<float>& values);
  std::string activation(const std::string& name, uint8_t value);

  /// Weights of a node as an initializer of this shape, transposed if asked; and its biases. \return the name.
  std::string weights(const DrawnNode& node, const std::vector<int64_t>& shape, bool transposed = false);
  std::string biases(const DrawnNode& node);
  /// ... through DequantizeLinear.
  std::string float_weights(const DrawnNode& node, const std::vector<int64_t>& shape, bool transposed = false);
  std::string float_biases(const DrawnNode& node);

  /// A node's constant operand as integers, whose scale and zero point are called so too; and as float32.
  std::string constant(const DrawnNode& node);
  std::string float_constant(const DrawnNode& node);

 private:
  void write_node(const DrawnNode& node);
  std::string write_clip_uint8(const DrawnNode& node, const std::string& x);
  std::string write_clip_float(const DrawnNode& node, const std::string& x);
  void write_uint8(const DrawnNode& node);
  void write_float(const DrawnNode& node);
  std::string dequantized(const DrawnNode& value, const std::string& name);
  /// Scale and zero point of `of`: scalars, or with several scales one a filter, all at the one zero point.
  void add_scale(const std::string& of, const std::vector<float>& scales, onnx::TensorProto_DataType type,
                 int32_t zero_point);
  /// `name` through DequantizeLinear, its filters along `axis`. \return the name.
  std::string dequantized_parameter(const std::string& name, int64_t axis);

  const DrawnNetwork& network_;
  const bool is_qoperator_, is_int8_;
  ModelBuilder model_;
  std::set<std::string> dequantized_;
};

}  // namespace fovea
