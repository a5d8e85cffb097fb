// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes AlexNet's convolutions as an ONNX network in QDQ form: write_alexnet OUTPUT.onnx.
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "alexnet.h"
#include "onnx/model_builder.h"

namespace {

using namespace fovea;

/// Of all activations, so a layer's shift is its weights' scale alone.
constexpr float kActivationScale = 1.0F / 64;

/// \return the name of the float that comes out of `quantized`.
std::string dequantize(ModelBuilder& model, const std::string& quantized) {
  model.node("DequantizeLinear", quantized + "/dequantize", {quantized, "scale", "zero"}, {quantized + "_f32"});
  return quantized + "_f32";
}

/// `from` through uint8 and back.
std::string quantize(ModelBuilder& model, const std::string& from) {
  model.node("QuantizeLinear", from + "/quantize", {from, "scale", "zero"}, {from + "_u8"});
  return dequantize(model, from + "_u8");
}

/// Adds an integer constant with its scale. \return the name of its float.
std::string add_constant(ModelBuilder& model, const std::string& name, onnx::TensorProto_DataType type,
                         const std::vector<int64_t>& shape, const void* data, size_t bytes, float scale) {
  model.bytes(name, type, shape, data, bytes);
  model.floats(name + "_scale", {}, {scale});
  model.integers(name + "_zero", type, {}, {0});
  model.node("DequantizeLinear", name, {name, name + "_scale", name + "_zero"}, {name + "_f32"});
  return name + "_f32";
}

std::string add_pool(ModelBuilder& model, const std::string& name, const std::string& from) {
  onnx::NodeProto& pool = model.node("MaxPool", name, {from}, {name});
  set_ints(pool, "kernel_shape", {3, 3});
  set_ints(pool, "strides", {2, 2});
  return quantize(model, name);
}

std::string add_layer(ModelBuilder& model, const AlexNetLayer& layer, const std::string& from) {
  const dla_shape& s = layer.shape;
  const std::string name = layer.name;
  const AlexNetWeights weights = draw_weights(layer);
  const int64_t filters = int64_t{layer.groups} * s.M;
  const float scale = std::ldexp(1.0F, -static_cast<int>(layer.shift));
  const std::string filter = add_constant(model, name + "_weight", onnx::TensorProto::INT8, {filters, s.C, s.R, s.S},
                                          weights.filter.data(), weights.filter.size(), scale);
  const std::string bias = add_constant(model, name + "_bias", onnx::TensorProto::INT32, {filters}, weights.bias.data(),
                                        weights.bias.size() * 4, scale * kActivationScale);
  onnx::NodeProto& conv = model.node("Conv", name, {from, filter, bias}, {name + "_sum"});
  set_ints(conv, "kernel_shape", {s.R, s.S});
  set_ints(conv, "strides", {s.U, s.U});
  set_ints(conv, "pads", {s.PAD, s.PAD, s.PAD, s.PAD});
  set_int(conv, "group", layer.groups);
  model.node("Relu", name + "/relu", {name + "_sum"}, {name});
  const std::string value = quantize(model, name);
  return layer.pools_after ? add_pool(model, name + "_pool", value) : value;
}

void write(ModelBuilder& model, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!model.model().SerializeToOstream(&file) || !file.flush()) {
    throw std::runtime_error(path + ": can't be written");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: write_alexnet OUTPUT.onnx\n";
    return 2;
  }
  ModelBuilder model({1, 3, 227, 227}, kActivationScale);
  std::string value = dequantize(model, "x_q");
  for (const AlexNetLayer& layer : kAlexNet) {
    value = add_layer(model, layer, value);
  }
  model.output(value);
  write(model, argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_alexnet: " << error.what() << "\n";
  return 1;
}
