// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantizations in a row, as ONNX Runtime takes them: one, by the range that both have.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>

namespace fovea {

/// Of QuantizeLinear, DequantizeLinear, QuantizeLinear, DequantizeLinear in a row, where nothing else reads a value
/// between them and each pair has one constant scale and zero point, the first and the last node remain. Their scale
/// and zero point are those of the numbers that both pairs have: ONNX Runtime does so before it looks for operators on
/// integers (its DoubleQDQPairsRemover). An int32 bias that is not at the scale of its products any more becomes
/// float32. Nothing where there are no such nodes.
/// \param folder  The model's: for constants whose data is in a file beside it.
std::optional<onnx::GraphProto> merge_quantizations(const onnx::GraphProto& graph, const std::filesystem::path& folder);

}  // namespace fovea
