// SPDX-License-Identifier: Apache-2.0
/// \file
/// What something is in ONNX, as a value: operators in a row, for foveac export.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/quantization.h"
#include "ops/window.h"

namespace fovea {

/// What an ONNX operator reads.
struct OnnxOperand {
  std::optional<std::size_t> input;      ///< An input of the layer or call that is written, by its place; or
  std::shared_ptr<const Tensor> tensor;  ///< a constant; or, where this is null too, the result of an operator.
  std::string name;                      ///< Of a constant: "filter".
  std::size_t back = 1;                  ///< Of a result: it is of the operator that is so many before.
};

/// An ONNX operator applied to operands, which are added in their order:
///
///     OnnxCall("com.microsoft.QLinearAdd").reads(0, add.a).reads(1, add.b).quantized(add.y)
struct OnnxCall {
  explicit OnnxCall(std::string name) : op(std::move(name)) {}

  OnnxCall& reads(std::size_t input);
  OnnxCall& reads(std::size_t input, const Quantization& quantization);
  OnnxCall& reads_result(std::size_t back = 1);
  OnnxCall& reads(std::string name, std::shared_ptr<const Tensor> tensor);
  OnnxCall& reads(std::string name, std::shared_ptr<const Tensor> tensor, const Quantization& quantization);
  /// Scale and zero point.
  OnnxCall& quantized(const Quantization& quantization);
  OnnxCall& set(const std::string& name, Attribute value);
  /// kernel_shape, strides, pads and dilations.
  OnnxCall& set(const Window& window);

  std::string op;  ///< With its domain: "QLinearConv", "com.microsoft.QLinearAdd".
  std::vector<OnnxOperand> operands;
  Attributes attributes;
  std::size_t result = 0;  ///< Which of its outputs is the result. Those before it are not read.
};

/// Lets nothing of the result of the operator before pass that is below or above.
OnnxCall onnx_bounds(uint8_t lowest, uint8_t highest);

/// Lets nothing of the result of the operator before pass that is below zero.
OnnxCall onnx_relu(const Quantization& quantization);

}  // namespace fovea
