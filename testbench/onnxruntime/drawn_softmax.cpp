// SPDX-License-Identifier: Apache-2.0
/// \file
/// Softmax of random networks, along any axis.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

/// Where the elements of one softmax lie: from `first` on, `step` apart.
struct Group {
  std::size_t first, step, size;
};

std::vector<Group> groups_of(const DrawnNode& node) {
  std::size_t step = 1;
  for (std::size_t axis = static_cast<std::size_t>(node.axis) + 1; axis < node.shape.size(); ++axis) {
    step *= static_cast<std::size_t>(node.shape[axis]);
  }
  const auto size = static_cast<std::size_t>(node.shape[static_cast<std::size_t>(node.axis)]);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < element_count(node.shape); ++i) {
    if (i / step % size == 0) {
      groups.push_back({i, step, size});
    }
  }
  return groups;
}

bool draw(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id)[1] > 1; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &kSoftmaxRow;
  node.inputs = {*from};
  node.shape = drawing.shape(*from);
  node.axis = drawing.between(1, static_cast<int64_t>(node.shape.size()) - 1);
  if (node.shape[static_cast<std::size_t>(node.axis)] == 1) {
    node.axis = 1;
  }
  drawing.add(std::move(node));
  return true;
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const std::vector<float> x = dequantize_bytes(values[node.inputs[0]], network.nodes[node.inputs[0]].quant);
  std::vector<double> results(x.size());
  for (const Group& group : groups_of(node)) {
    double most = -DBL_MAX, sum = 0;
    for (std::size_t i = 0; i < group.size; ++i) {
      most = std::max(most, static_cast<double>(x[group.first + i * group.step]));
    }
    for (std::size_t i = 0; i < group.size; ++i) {
      const std::size_t at = group.first + i * group.step;
      sum += results[at] = std::exp(static_cast<double>(x[at]) - most);
    }
    for (std::size_t i = 0; i < group.size; ++i) {
      results[group.first + i * group.step] /= sum;
    }
  }
  return results;
}

/// Numerators and their sum are multiples of e^x, as large as a float32 sum of them allows.
Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const Bytes& x = values[node.inputs[0]];
  const double sx = static_cast<double>(network.nodes[node.inputs[0]].quant.scale);
  const auto D = static_cast<float>(node.shape[static_cast<std::size_t>(node.axis)]);
  const double shift = std::max(0.0, static_cast<double>(std::log(FLT_MAX / D)) - 5) / sx;
  const float steps = std::floor(1.0F / node.quant.scale);
  Bytes y(x.size());
  for (const Group& group : groups_of(node)) {
    uint8_t most = 0;
    for (std::size_t i = 0; i < group.size; ++i) {
      most = std::max(most, x[group.first + i * group.step]);
    }
    const auto exponential = [&](std::size_t at) { return static_cast<float>(std::exp((x[at] - most + shift) * sx)); };
    float sum = 0;
    for (std::size_t i = 0; i < group.size; ++i) {
      sum += exponential(group.first + i * group.step);
    }
    for (std::size_t i = 0; i < group.size; ++i) {
      const std::size_t at = group.first + i * group.step;
      y[at] = quantize_outside(exponential(at) * steps / sum, node.quant.zero_point);
    }
  }
  return y;
}

/// The largest exponential times the output's steps may overflow in ONNX Runtime, for few elements and a small scale.
bool is_sure(const DrawnNetwork&, const DrawnNode& node, const Values&) {
  return 1 / node.quant.scale < 147 * static_cast<float>(node.shape[static_cast<std::size_t>(node.axis)]);
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  set_int(writer.node("Softmax", inputs, node.name + "_f"), "axis", node.axis);
  return node.name + "_f";
}

std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all{inputs[0]};
  NetworkWriter::add_quant(all, writer.input_of(node, 0));
  NetworkWriter::add_quant(all, node);
  onnx::NodeProto& call = writer.node("QLinearSoftmax", all, node.name + "_f", true);
  set_int(call, "axis", node.axis);
  set_int(call, "opset", 13);
  return node.name + "_f";
}

}  // namespace

/// QLinearSoftmax takes 1 as a whole number of steps, so Softmax of floats is another function at most scales.
const OperatorRow kSoftmaxRow{"softmax", 1, draw, reals, evaluate, write_float, write_uint8, nullptr, is_sure, reals};

}  // namespace fovea
