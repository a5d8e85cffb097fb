// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes AlexNet's convolutions as an ONNX network in QDQ form: write_alexnet OUTPUT.onnx.
#include <onnx/onnx_pb.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <string>

#include "alexnet.h"

namespace {

using namespace fovea;

constexpr float kActivationScale = 1.0f / 64;

/// A graph that grows at its end.
class Writer {
 public:
  Writer() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(13);
    graph_.set_name("alexnet");
    add_constant("zero_point", onnx::TensorProto::UINT8, {}, std::string(1, static_cast<char>(128)));
    add_constant("weight_zero_point", onnx::TensorProto::INT8, {}, std::string(1, '\0'));
    add_constant("bias_zero_point", onnx::TensorProto::INT32, {}, std::string(4, '\0'));
    add_scale("scale", kActivationScale);
  }

  void add_value(onnx::ValueInfoProto& value, const std::string& name, std::initializer_list<int64_t> shape) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    for (const int64_t size : shape) {
      tensor.mutable_shape()->add_dim()->set_dim_value(size);
    }
  }

  onnx::NodeProto& add_node(const std::string& type, const std::string& name, std::initializer_list<std::string> inputs,
                            const std::string& output) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(type);
    node.set_name(name);
    for (const std::string& input : inputs) {
      node.add_input(input);
    }
    node.add_output(output);
    return node;
  }

  void add_ints(onnx::NodeProto& node, const std::string& name, std::initializer_list<int64_t> values) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : values) {
      attribute.add_ints(value);
    }
  }

  void add_int(onnx::NodeProto& node, const std::string& name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  void add_constant(const std::string& name, onnx::TensorProto::DataType type, std::initializer_list<int64_t> shape,
                    std::string bytes) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const int64_t size : shape) {
      tensor.add_dims(size);
    }
    tensor.set_raw_data(std::move(bytes));
  }

  void add_scale(const std::string& name, float scale) {
    add_constant(name, onnx::TensorProto::FLOAT, {}, std::string(reinterpret_cast<const char*>(&scale), sizeof scale));
  }

  /// `from` through uint8 and back. \return the name of the float that comes out.
  std::string quantize(const std::string& from) {
    add_node("QuantizeLinear", from + "/quantize", {from, "scale", "zero_point"}, from + "_u8");
    add_node("DequantizeLinear", from + "/dequantize", {from + "_u8", "scale", "zero_point"}, from + "_q");
    return from + "_q";
  }

  std::string add_layer(const AlexNetLayer& layer, const std::string& from) {
    const dla_shape& s = layer.shape;
    const std::string name = layer.name;
    const AlexNetWeights weights = draw_weights(layer);
    const int64_t filters = int64_t{layer.groups} * s.M;
    add_constant(name + ".weight", onnx::TensorProto::INT8, {filters, s.C, s.R, s.S},
                 std::string(reinterpret_cast<const char*>(weights.filter.data()), weights.filter.size()));
    add_constant(name + ".bias", onnx::TensorProto::INT32, {filters},
                 std::string(reinterpret_cast<const char*>(weights.bias.data()), weights.bias.size() * 4));
    // Activations keep their scale, so the weights' scale is what the shift makes of it.
    const float weight_scale = std::ldexp(1.0f, -static_cast<int>(layer.shift));
    add_scale(name + ".weight_scale", weight_scale);
    add_scale(name + ".bias_scale", weight_scale * kActivationScale);
    add_node("DequantizeLinear", name + "/weight", {name + ".weight", name + ".weight_scale", "weight_zero_point"},
             name + "_w");
    add_node("DequantizeLinear", name + "/bias", {name + ".bias", name + ".bias_scale", "bias_zero_point"},
             name + "_b");
    onnx::NodeProto& conv = add_node("Conv", name, {from, name + "_w", name + "_b"}, name + "_sum");
    add_ints(conv, "kernel_shape", {s.R, s.S});
    add_ints(conv, "strides", {s.U, s.U});
    add_ints(conv, "pads", {s.PAD, s.PAD, s.PAD, s.PAD});
    add_int(conv, "group", layer.groups);
    add_node("Relu", name + "/relu", {name + "_sum"}, name);
    const std::string quantized = quantize(name);
    return layer.pools_after ? add_pool(name + "_pool", quantized) : quantized;
  }

  void write(const std::string& path, const std::string& output) {
    const int64_t size = output_size(kAlexNet.back()),
                  filters = int64_t{kAlexNet.back().groups} * kAlexNet.back().shape.M;
    add_value(*graph_.add_input(), "input", {1, 3, 227, 227});
    add_value(*graph_.add_output(), output, {1, filters, size, size});
    *model_.mutable_graph() = graph_;
    std::ofstream file(path, std::ios::binary);
    if (!model_.SerializeToOstream(&file) || !file.flush()) {
      throw std::runtime_error(path + ": can't be written");
    }
  }

 private:
  std::string add_pool(const std::string& name, const std::string& from) {
    onnx::NodeProto& pool = add_node("MaxPool", name, {from}, name);
    add_ints(pool, "kernel_shape", {3, 3});
    add_ints(pool, "strides", {2, 2});
    return quantize(name);
  }

  onnx::ModelProto model_;
  onnx::GraphProto graph_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: write_alexnet OUTPUT.onnx\n";
    return 2;
  }
  Writer writer;
  std::string value = writer.quantize("input");
  for (const AlexNetLayer& layer : kAlexNet) {
    value = writer.add_layer(layer, value);
  }
  writer.write(argv[1], value);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_alexnet: " << error.what() << "\n";
  return 1;
}
