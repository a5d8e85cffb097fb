// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of ONNX operators, in alphabetical order.
#include "converters.h"

#include <algorithm>
#include <array>

namespace fovea {
namespace {

constexpr std::array<ConverterRow, 30> kConverters{{
    {"Add", convert_add},
    {"BatchNormalization", convert_batch_normalization},
    {"Cast", convert_cast},
    {"Clip", convert_clip},
    {"Concat", convert_concat},
    {"Constant", convert_constant},
    {"ConstantOfShape", convert_constant_of_shape},
    {"Conv", convert_conv},
    {"DequantizeLinear", convert_dequantize_linear},
    {"Dropout", convert_dropout},
    {"Flatten", convert_flatten},
    {"Gather", convert_gather},
    {"Gemm", convert_gemm},
    {"Identity", convert_identity},
    {"MatMul", convert_mat_mul},
    {"MaxPool", convert_max_pool},
    {"QLinearConv", convert_qlinear_conv},
    {"QLinearMatMul", convert_qlinear_mat_mul},
    {"QuantizeLinear", convert_quantize_linear},
    {"Relu", convert_relu},
    {"Reshape", convert_reshape},
    {"Shape", convert_shape},
    {"Squeeze", convert_squeeze},
    {"Transpose", convert_transpose},
    {"Unsqueeze", convert_unsqueeze},
    {"com.microsoft.DequantizeLinear", convert_dequantize_linear},
    {"com.microsoft.QGemm", convert_qgemm},
    {"com.microsoft.QLinearAdd", convert_qlinear_add},
    {"com.microsoft.QLinearConcat", convert_qlinear_concat},
    {"com.microsoft.QuantizeLinear", convert_quantize_linear},
}};

}  // namespace

const ConverterRow* find_converter(std::string_view op) {
  const auto row =
      std::find_if(kConverters.begin(), kConverters.end(), [&](const ConverterRow& r) { return r.op == op; });
  return row == kConverters.end() ? nullptr : row;
}

std::string list_converters() {
  std::string text;
  for (const ConverterRow& row : kConverters) {
    text += (text.empty() ? "" : ", ") + std::string(row.op);
  }
  return text;
}

}  // namespace fovea
