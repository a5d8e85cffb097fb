// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which operators between DequantizeLinear and QuantizeLinear ONNX Runtime computes in float32 all the same.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <map>
#include <string>

namespace fovea {

/// By the name of their first output, why ONNX Runtime (1.30, on x86-64) does not compute them on integers, as the end
/// of a sentence: "LeakyRelu stands before its QuantizeLinear". The rules are those of its optimizer, read off its
/// sources (optimizer/qdq_transformer) and off the graphs that it writes; testbench/onnxruntime compares with these.
/// Only of operators that have an answer of their own on integers: products, Add, Mul, average pools and Softmax,
/// behind DequantizeLinear. \param graph  Of which calls of functions are inlined, sorted, behind
/// merge_quantizations(). \param folder  The model's: for constants whose data is in a file beside it.
std::map<std::string, std::string> find_kept_in_float(const onnx::GraphProto& graph,
                                                      const std::filesystem::path& folder);

/// Whether ONNX Runtime moves conversions over a node: what it reads dequantized is dequantized behind it, and what is
/// quantized behind it in front of it.
bool moves_conversions(const onnx::NodeProto& node);

}  // namespace fovea
