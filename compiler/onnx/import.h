// SPDX-License-Identifier: Apache-2.0
/// \file
/// From an ONNX model to the IR.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "import_options.h"
#include "ir/graph.h"

namespace onnx {
class ModelProto;
}

namespace fovea {

/// Reads a quantized network, node by node; nothing is folded or fused. A QLinear operator becomes the float operator
/// between qnn.dequantize and qnn.quantize, as in QDQ form. A dynamic batch becomes 1; other open dimensions are as
/// `options` say. Its ends become float32: float_ends(). Operators: the table in converters.def. Opsets 7 to 25: where
/// an operator changed, its converter takes all forms. UserError where the file is missing, truncated or no ONNX model,
/// where the network is float-only, or where operators, attributes, element types or shapes are not supported: a line
/// each, with the node and what would work.
Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options = {});

/// The same from a model in memory. \param name  What errors about the whole model begin with.
/// \param folder  Where constants find files with their data.
Graph import_model(const onnx::ModelProto& model, const std::string& name, const std::filesystem::path& folder = ".",
                   const ImportOptions& options = {});

/// The same, but for nodes that can't be converted: they become calls of "unsupported", which say why. UserError where
/// that makes no graph.
Graph import_onnx_partly(const std::filesystem::path& path, const ImportOptions& options = {});
Graph import_model_partly(const onnx::ModelProto& model, const std::string& name,
                          const std::filesystem::path& folder = ".", const ImportOptions& options = {});

/// An input that a file declares. In its shape, 0 is a dimension without a size; a batch without one is 1.
struct DeclaredInput {
  std::string name;
  Shape shape;
  bool has_open_batch = false;  ///< Whether its first dimension has no size.
};

/// The network's inputs, with no shape where the file declares none. UserError where the file is no ONNX model.
std::vector<DeclaredInput> declared_inputs(const std::filesystem::path& path);

/// Opsets of ONNX that are taken.
constexpr int kLeastOpset = 7, kMostOpset = 25;

/// An operator that can be imported, for docs/operators.md.
struct OnnxOperator {
  std::string_view name;     ///< With the domain in front where it is not ONNX's own.
  std::string_view becomes;  ///< Operators of the IR, with blanks between; "" for the one of the same name, or none.
  std::string_view notes;    ///< Forms that are taken, and limits.
};

/// All of them, in the order of converters.def.
std::vector<OnnxOperator> list_onnx_operators();

}  // namespace fovea
