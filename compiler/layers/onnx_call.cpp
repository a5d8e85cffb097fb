// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts an ONNX operator's operands and attributes together.
#include "onnx_call.h"

namespace fovea {
namespace {

/// A scalar, or a number for each index of the axis.
Shape parameter_shape(const Quantization& quantization) {
  return quantization.scales.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(quantization.scales.size())};
}

std::shared_ptr<const Tensor> scale_tensor(const Quantization& quantization) {
  return std::make_shared<const Tensor>(Tensor::of(parameter_shape(quantization), quantization.scales));
}

std::shared_ptr<const Tensor> zero_point_tensor(const Quantization& quantization) {
  Tensor zero_points({parameter_shape(quantization), quantization.element});
  for (std::size_t i = 0; i < quantization.zero_points.size(); ++i) {
    zero_points.set_integer(i, quantization.zero_points[i]);
  }
  return std::make_shared<const Tensor>(std::move(zero_points));
}

}  // namespace

OnnxCall& OnnxCall::reads(std::size_t input) {
  operands.push_back({input, nullptr, ""});
  return *this;
}

OnnxCall& OnnxCall::reads(std::size_t input, const Quantization& quantization) {
  return reads(input).quantized(quantization);
}

OnnxCall& OnnxCall::reads_result(std::size_t back) {
  operands.emplace_back().back = back;
  return *this;
}

OnnxCall& OnnxCall::reads(std::string name, std::shared_ptr<const Tensor> tensor) {
  operands.push_back({std::nullopt, std::move(tensor), std::move(name)});
  return *this;
}

OnnxCall& OnnxCall::reads(std::string name, std::shared_ptr<const Tensor> tensor, const Quantization& quantization) {
  return reads(std::move(name), std::move(tensor)).quantized(quantization);
}

OnnxCall& OnnxCall::quantized(const Quantization& quantization) {
  return reads("scale", scale_tensor(quantization)).reads("zero_point", zero_point_tensor(quantization));
}

OnnxCall& OnnxCall::set(const std::string& name, Attribute value) {
  attributes[name] = std::move(value);
  return *this;
}

OnnxCall& OnnxCall::set(const Window& window) {
  const auto list = [](const auto& numbers) { return std::vector<int64_t>(numbers.begin(), numbers.end()); };
  return set("kernel_shape", list(window.kernel))
      .set("strides", list(window.strides))
      .set("pads", list(window.pads))
      .set("dilations", list(window.dilations));
}

OnnxCall onnx_bounds(uint8_t lowest, uint8_t highest) {
  const auto scalar = [](uint8_t value) {
    return std::make_shared<const Tensor>(Tensor::of<uint8_t>({}, std::vector<uint8_t>{value}));
  };
  return OnnxCall("Clip").reads_result().reads("lowest", scalar(lowest)).reads("highest", scalar(highest));
}

OnnxCall onnx_relu(const Quantization& quantization) {
  return OnnxCall("Clip").reads_result().reads("zero_point", zero_point_tensor(quantization));
}

}  // namespace fovea
