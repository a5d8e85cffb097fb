// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an operator of random networks can do: be drawn, be computed, be written in either form. A row of a table each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random_network.h"

namespace fovea {

class NetworkDrawing;
class NetworkWriter;

/// An operator as far as its own arithmetic goes: ReLU, fused pool and quantization are the same for all.
struct OperatorRow {
  const char* name;
  /// How often it is drawn beside the others; 0: only where another operator asks for it.
  uint32_t weight;
  /// Adds the operator, and what it needs, to a drawing. \return false where no value fits; nothing was added then.
  bool (*draw)(NetworkDrawing& drawing);
  /// Exact results before quantization, which a scale is chosen by. Null: the operator keeps its input's scale.
  std::vector<double> (*reals)(const DrawnNetwork& network, const DrawnNode& node, const Values& values);
  /// Quantized results, by the float32 formulas that ONNX Runtime follows.
  Bytes (*evaluate)(const DrawnNetwork& network, const DrawnNode& node, const Values& values);
  /// Writes it as a float operator. \return the name of its result.
  std::string (*write_float)(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs);
  /// Writes it as ONNX Runtime's own operator on uint8. \return the name of its result.
  std::string (*write_uint8)(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs);
  /// Whether there is such an operator; else it is float in either form. Null: always.
  bool (*has_uint8)(const DrawnNode& node) = nullptr;
  /// Whether ONNX Runtime is sure to follow the formulas at the scale that was drawn. Null: always.
  bool (*is_sure)(const DrawnNetwork& network, const DrawnNode& node, const Values& values) = nullptr;
  /// Exact results of ONNX Runtime's float operator where it is another function than its integer one; else empty.
  /// Null: always empty.
  std::vector<double> (*float_reals)(const DrawnNetwork& network, const DrawnNode& node,
                                     const Values& values) = nullptr;
};

extern const OperatorRow kInputRow, kConvRow, kGemmRow, kAddRow, kMulRow, kCombineRow, kConcatRow, kRequantizeRow,
    kMaxPoolRow, kAvgPoolRow, kGlobalPoolRow, kFlattenRow, kFunctionRow, kSoftmaxRow, kSomeRow, kMoreRow, kOrderRow;

/// All rows that are drawn.
const std::vector<const OperatorRow*>& drawn_rows();

}  // namespace fovea
