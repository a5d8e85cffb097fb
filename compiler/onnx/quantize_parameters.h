// SPDX-License-Identifier: Apache-2.0
/// \file
/// float32 weights and biases between quantized values, as ONNX Runtime quantizes them.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>

namespace fovea {

/// Of Conv, ConvTranspose and Gemm whose input is dequantized and whose output is quantized, ONNX Runtime quantizes
/// constant float32 weights to int8, one scale and zero point by their least and largest, and float32 biases to int32
/// at the scale of the products (its WeightBiasQuantization). The graph with these as constants behind
/// DequantizeLinear, or nothing where there are none.
/// \param graph  Of which calls of functions are inlined. \param folder  The model's: for constants in files beside it.
std::optional<onnx::GraphProto> quantize_parameters(const onnx::GraphProto& graph, const std::filesystem::path& folder);

}  // namespace fovea
