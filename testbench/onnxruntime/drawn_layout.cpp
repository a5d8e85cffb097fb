// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of random networks that keep their input's scale, and the network's inputs; and the list of all that are
/// drawn.
#include <algorithm>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

Bytes evaluate_flatten(const DrawnNetwork&, const DrawnNode& node, const Values& values) {
  return values[node.inputs[0]];
}

std::string write_flatten(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  writer.node("Flatten", inputs, node.name + "_flat");
  return node.name + "_flat";
}

Bytes evaluate_input(const DrawnNetwork&, const DrawnNode& node, const Values&) {
  Bytes bytes;
  for (const float x : node.data) {
    bytes.push_back(quantize_outside(x / node.quant.scale, node.quant.zero_point));
  }
  return bytes;
}

}  // namespace

const OperatorRow kInputRow{"input", 0, nullptr, nullptr, evaluate_input, nullptr, nullptr};
const OperatorRow kFlattenRow{"flatten", 0, nullptr, nullptr, evaluate_flatten, write_flatten, write_flatten};

const std::vector<const OperatorRow*>& drawn_rows() {
  static const std::vector<const OperatorRow*> rows{&kConvRow,    &kGemmRow,       &kAddRow,        &kMulRow,
                                                    &kCombineRow, &kConcatRow,     &kRequantizeRow, &kMaxPoolRow,
                                                    &kAvgPoolRow, &kGlobalPoolRow, &kFunctionRow,   &kSoftmaxRow,
                                                    &kSomeRow,    &kMoreRow,       &kOrderRow};
  return rows;
}

}  // namespace fovea
