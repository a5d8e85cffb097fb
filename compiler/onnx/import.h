// SPDX-License-Identifier: Apache-2.0
/// \file
/// From an ONNX model to the IR.
#ifndef FOVEA_COMPILER_ONNX_IMPORT_H_
#define FOVEA_COMPILER_ONNX_IMPORT_H_

#include <filesystem>
#include <string>

#include "ir/graph.h"

namespace onnx {
class ModelProto;
}

namespace fovea {

/// Reads a quantized network, node by node; nothing is folded or fused. A QLinear operator becomes the float operator
/// between qnn.dequantize and qnn.quantize, as in QDQ form. A dynamic batch becomes 1.
/// Operators: the table in converters.def. Opsets 7 to 21: where an operator changed, its
/// converter takes all forms.
/// UserError where the file is missing, truncated or no ONNX model, where the network is float-only, or where an
/// operator, attribute, element type or shape is not supported; it names the node and what would work.
Graph import_onnx(const std::filesystem::path& path);

/// The same from a model in memory. \param name  What errors about the whole model begin with.
/// \param folder  Where constants find files with their data.
Graph import_model(const onnx::ModelProto& model, const std::string& name, const std::filesystem::path& folder = ".");

}  // namespace fovea

#endif  // FOVEA_COMPILER_ONNX_IMPORT_H_
