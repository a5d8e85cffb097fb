// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized convolutions in QDQ form, for programs that write networks with weights from a seed.
#pragma once

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

#include "onnx/model_builder.h"
#include "spec/dla_layer.h"

namespace fovea {

/// Of all activations, so a layer's shift is its weights' scale alone.
inline constexpr float kActivationScale = 1.0F / 64;

/// A network that grows layer by layer from the input "x"; each function returns the name of the float that comes out.
class QuantizedModel : public ModelBuilder {
 public:
  explicit QuantizedModel(const std::vector<int64_t>& input_shape) : ModelBuilder(input_shape, kActivationScale) {}

  std::string dequantize(const std::string& quantized) {
    node("DequantizeLinear", quantized + "/dequantize", {quantized, "scale", "zero"}, {quantized + "_f32"});
    return quantized + "_f32";
  }

  /// `from` through uint8 and back.
  std::string quantize(const std::string& from) {
    node("QuantizeLinear", from + "/quantize", {from, "scale", "zero"}, {from + "_u8"});
    return dequantize(from + "_u8");
  }

  /// 3x3, stride 2.
  std::string pool(const std::string& name, const std::string& from, int64_t pad = 0) {
    onnx::NodeProto& pool = node("MaxPool", name, {from}, {name});
    set_ints(pool, "kernel_shape", {3, 3});
    set_ints(pool, "strides", {2, 2});
    if (pad != 0) {
      set_ints(pool, "pads", {pad, pad, pad, pad});
    }
    return quantize(name);
  }

  /// A convolution with ReLU. \param filter  [groups M, C, R, S]. \param bias  [groups M].
  std::string convolve(const std::string& name, const dla_shape& s, uint32_t groups, uint32_t shift,
                       const std::vector<int8_t>& filter, const std::vector<int32_t>& bias, const std::string& from) {
    const int64_t filters = int64_t{groups} * s.M;
    const float scale = std::ldexp(1.0F, -static_cast<int>(shift));
    const std::string weights = add_constant(name + "_weight", onnx::TensorProto::INT8, {filters, s.C, s.R, s.S},
                                             filter.data(), filter.size(), scale);
    const std::string biases = add_constant(name + "_bias", onnx::TensorProto::INT32, {filters}, bias.data(),
                                            bias.size() * 4, scale * kActivationScale);
    onnx::NodeProto& conv = node("Conv", name, {from, weights, biases}, {name + "_sum"});
    set_ints(conv, "kernel_shape", {s.R, s.S});
    set_ints(conv, "strides", {s.U, s.V});
    set_ints(conv, "pads", {s.pad_top, s.pad_left, s.pad_bottom, s.pad_right});
    set_int(conv, "group", groups);
    node("Relu", name + "/relu", {name + "_sum"}, {name});
    return quantize(name);
  }

  /// \throws std::runtime_error where it can't.
  void write(const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    if (!model().SerializeToOstream(&file) || !file.flush()) {
      throw std::runtime_error(path + ": can't be written");
    }
  }

 private:
  /// An integer constant with its scale.
  std::string add_constant(const std::string& name, onnx::TensorProto_DataType type, const std::vector<int64_t>& shape,
                           const void* data, size_t bytes_count, float scale) {
    bytes(name, type, shape, data, bytes_count);
    floats(name + "_scale", {}, {scale});
    integers(name + "_zero", type, {}, {0});
    node("DequantizeLinear", name, {name, name + "_scale", name + "_zero"}, {name + "_f32"});
    return name + "_f32";
  }
};

}  // namespace fovea
