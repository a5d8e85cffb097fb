// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of ONNX operators: how each becomes operators of the IR.
#ifndef FOVEA_COMPILER_ONNX_CONVERTERS_H_
#define FOVEA_COMPILER_ONNX_CONVERTERS_H_

#include <string>
#include <string_view>

#include "import_context.h"
#include "onnx_node.h"

namespace fovea {

/// Adds what computes the node's first output and returns that value. UserError where the node can't be converted.
using Converter = NodeId (*)(ImportContext& context, OnnxNode& node);

struct ConverterRow {
  std::string_view op;
  Converter convert;
};

/// The row of an operator (OnnxNode::op()), or null.
const ConverterRow* find_converter(std::string_view op);

/// "Add, BatchNormalization, ...".
std::string list_converters();

/// \name convert_quantize.cpp
/// @{
NodeId convert_quantize_linear(ImportContext& context, OnnxNode& node);
NodeId convert_dequantize_linear(ImportContext& context, OnnxNode& node);
NodeId convert_qlinear_conv(ImportContext& context, OnnxNode& node);
NodeId convert_qlinear_mat_mul(ImportContext& context, OnnxNode& node);
NodeId convert_qgemm(ImportContext& context, OnnxNode& node);
NodeId convert_qlinear_add(ImportContext& context, OnnxNode& node);
NodeId convert_qlinear_concat(ImportContext& context, OnnxNode& node);
/// @}

/// \name convert_window.cpp
/// @{
NodeId convert_conv(ImportContext& context, OnnxNode& node);
NodeId convert_max_pool(ImportContext& context, OnnxNode& node);
/// @}

/// \name convert_dense.cpp
/// @{
NodeId convert_gemm(ImportContext& context, OnnxNode& node);
NodeId convert_mat_mul(ImportContext& context, OnnxNode& node);
/// @}

/// \name convert_elementwise.cpp
/// @{
NodeId convert_add(ImportContext& context, OnnxNode& node);
NodeId convert_relu(ImportContext& context, OnnxNode& node);
NodeId convert_clip(ImportContext& context, OnnxNode& node);
NodeId convert_batch_normalization(ImportContext& context, OnnxNode& node);
NodeId convert_identity(ImportContext& context, OnnxNode& node);
NodeId convert_dropout(ImportContext& context, OnnxNode& node);
/// @}

/// \name convert_layout.cpp
/// @{
NodeId convert_flatten(ImportContext& context, OnnxNode& node);
NodeId convert_reshape(ImportContext& context, OnnxNode& node);
NodeId convert_squeeze(ImportContext& context, OnnxNode& node);
NodeId convert_unsqueeze(ImportContext& context, OnnxNode& node);
NodeId convert_transpose(ImportContext& context, OnnxNode& node);
/// @}

/// \name convert_constant.cpp
/// @{
NodeId convert_constant(ImportContext& context, OnnxNode& node);
NodeId convert_constant_of_shape(ImportContext& context, OnnxNode& node);
NodeId convert_cast(ImportContext& context, OnnxNode& node);
NodeId convert_shape(ImportContext& context, OnnxNode& node);
NodeId convert_gather(ImportContext& context, OnnxNode& node);
NodeId convert_concat(ImportContext& context, OnnxNode& node);
/// @}

}  // namespace fovea

#endif  // FOVEA_COMPILER_ONNX_CONVERTERS_H_
