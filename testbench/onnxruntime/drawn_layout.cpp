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

bool draw_pool(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id).size() == 4; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &kMaxPoolRow;
  node.inputs = {*from};
  const std::vector<int64_t>& x = drawing.shape(*from);
  if (drawing.one_in(2)) {
    node.kernel[0] = node.kernel[1] = node.stride = 2;
  } else {
    node.kernel[0] = drawing.between(1, 3);
    node.kernel[1] = drawing.between(1, 3);
    node.stride = drawing.between(1, 2);
    node.pad = std::min(node.kernel[0], node.kernel[1]) > 1 ? drawing.between(0, 1) : 0;
  }
  if (x[2] + 2 * node.pad < node.kernel[0] || x[3] + 2 * node.pad < node.kernel[1]) {
    return false;
  }
  node.shape = {1, x[1], window_positions(x[2], node.kernel[0], node.stride, node.pad),
                window_positions(x[3], node.kernel[1], node.stride, node.pad)};
  node.is_on_integers = drawing.one_in(3);
  drawing.add(std::move(node));
  return true;
}

Bytes evaluate_pool(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const ValueId x = node.inputs[0];
  return max_pool(values[x], network.nodes[x].shape, node.kernel, node.stride, node.pad);
}

std::string write_pool(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  onnx::NodeProto& pool = writer.node("MaxPool", inputs, node.name + "_max");
  set_ints(pool, "kernel_shape", {node.kernel[0], node.kernel[1]});
  set_ints(pool, "strides", {node.stride, node.stride});
  set_ints(pool, "pads", {node.pad, node.pad, node.pad, node.pad});
  return node.name + "_max";
}

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
const OperatorRow kMaxPoolRow{"maxpool", 2, draw_pool, nullptr, evaluate_pool, write_pool, write_pool};
const OperatorRow kFlattenRow{"flatten", 0, nullptr, nullptr, evaluate_flatten, write_flatten, write_flatten};

const std::vector<const OperatorRow*>& drawn_rows() {
  static const std::vector<const OperatorRow*> rows{
      &kConvRow,    &kGemmRow,     &kAddRow,     &kMulRow,  &kCombineRow, &kConcatRow, &kRequantizeRow,
      &kMaxPoolRow, &kFunctionRow, &kSoftmaxRow, &kSomeRow, &kMoreRow,    &kOrderRow};
  return rows;
}

}  // namespace fovea
