// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conv of random networks, with ReLU and a 2x2 max-pool now and then.
#include <algorithm>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

constexpr int64_t kMaxMacs = 100'000;

std::vector<int64_t> accumulate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const DrawnNode& input = network.nodes[node.inputs[0]];
  const Bytes& x = values[node.inputs[0]];
  const std::vector<int64_t> shape = unpooled_shape(network, node);
  const int64_t C = input.shape[1] / node.groups, H = input.shape[2], W = input.shape[3];
  const int64_t R = node.kernel[0], S = node.kernel[1];
  std::vector<int64_t> sums;
  for (int64_t m = 0; m < shape[1]; ++m) {
    const int64_t first = m / (shape[1] / node.groups) * C;
    for (int64_t e = 0; e < shape[2]; ++e) {
      for (int64_t f = 0; f < shape[3]; ++f) {
        int64_t sum = node.biases.empty() ? 0 : node.biases[static_cast<std::size_t>(m)];
        for (int64_t tap = 0; tap < C * R * S; ++tap) {
          const int64_t h = e * node.stride - node.pad + tap / S % R, w = f * node.stride - node.pad + tap % S;
          if (h >= 0 && h < H && w >= 0 && w < W) {
            const int64_t place = ((first + tap / (R * S)) * H + h) * W + w;
            sum += (x[static_cast<std::size_t>(place)] - input.quant.zero_point) *
                   int64_t{node.weights[static_cast<std::size_t>(m * C * R * S + tap)]};
          }
        }
        sums.push_back(sum);
      }
    }
  }
  return sums;
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  return real_sums(network, node, accumulate(network, node, values));
}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  return requantize_sums(network, node, accumulate(network, node, values));
}

/// Rows and columns of what a convolution makes of `x`; zero or less where the window does not fit.
void set_shape(DrawnNode& node, const std::vector<int64_t>& x, int64_t M) {
  node.shape = {1, M, window_positions(x[2], node.kernel[0], node.stride, node.pad),
                window_positions(x[3], node.kernel[1], node.stride, node.pad)};
}

void draw_window(NetworkDrawing& drawing, DrawnNode& node, const std::vector<int64_t>& x) {
  for (int axis = 0; axis < 2; ++axis) {
    node.kernel[axis] = std::min(drawing.between(1, 5), x[static_cast<std::size_t>(axis) + 2]);
  }
  node.stride = drawing.one_in(4) ? 2 : 1;
  const int64_t smallest = std::min(node.kernel[0], node.kernel[1]);
  node.pad = drawing.one_in(3) ? 0 : smallest / 2;
  if (drawing.one_in(10)) {
    node.pad = drawing.between(0, 3);
  }
}

bool draw(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id).size() == 4; });
  if (!from) {
    return false;
  }
  const std::vector<int64_t> x = drawing.shape(*from);
  DrawnNode node;
  node.row = &kConvRow;
  node.inputs = {*from};
  draw_window(drawing, node, x);
  int64_t M = drawing.between(1, 16);
  if (drawing.one_in(10)) {
    node.groups = x[1];
    M = x[1] * drawing.between(1, 2);
  }
  set_shape(node, x, M);
  const int64_t macs =
      static_cast<int64_t>(element_count(node.shape)) * x[1] / node.groups * node.kernel[0] * node.kernel[1];
  if (node.shape[2] < 1 || node.shape[3] < 1 || macs > kMaxMacs) {
    return false;
  }
  node.relu = !drawing.one_in(3);
  if (node.shape[2] >= 2 && node.shape[3] >= 2 && drawing.one_in(5)) {
    node.pool = true;
    node.shape[2] /= 2;
    node.shape[3] /= 2;
  }
  drawing.draw_weights(node, x[1] / node.groups * node.kernel[0] * node.kernel[1]);
  drawing.add(std::move(node));
  return true;
}

std::vector<int64_t> filter_shape(const NetworkWriter& writer, const DrawnNode& node) {
  return {node.shape[1], writer.input_of(node, 0).shape[1] / node.groups, node.kernel[0], node.kernel[1]};
}

void set_window(onnx::NodeProto& conv, const DrawnNode& node) {
  set_ints(conv, "kernel_shape", {node.kernel[0], node.kernel[1]});
  set_ints(conv, "strides", {node.stride, node.stride});
  set_ints(conv, "pads", {node.pad, node.pad, node.pad, node.pad});
  set_int(conv, "group", node.groups);
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all{inputs[0], writer.float_weights(node, filter_shape(writer, node))};
  if (!node.biases.empty()) {
    all.push_back(writer.float_biases(node));
  }
  set_window(writer.node("Conv", all, node.name + "_sum"), node);
  return node.name + "_sum";
}

std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all{inputs[0]};
  NetworkWriter::add_quant(all, writer.input_of(node, 0));
  const std::string weights = writer.weights(node, filter_shape(writer, node));
  all.insert(all.end(), {weights, weights + "_scale", weights + "_zero"});
  NetworkWriter::add_quant(all, node);
  if (!node.biases.empty()) {
    all.push_back(writer.biases(node));
  }
  set_window(writer.node("QLinearConv", all, node.name + "_sum"), node);
  return node.name + "_sum";
}

}  // namespace

const OperatorRow kConvRow{"conv", 6, draw, reals, evaluate, write_float, write_uint8};

ValueId draw_branch(NetworkDrawing& drawing, ValueId from, int64_t channels) {
  if (drawing.shape(from).size() == 2) {
    return draw_fully_connected(drawing, from, channels);
  }
  DrawnNode node;
  node.row = &kConvRow;
  node.inputs = {from};
  const std::vector<int64_t> x = drawing.shape(from);
  const bool is_small = channels * x[1] * x[2] * x[3] * 9 <= kMaxMacs;
  node.pad = is_small ? drawing.between(0, 1) : 0;
  node.kernel[0] = node.kernel[1] = 2 * node.pad + 1;
  set_shape(node, x, channels);
  node.relu = drawing.one_in(2);
  drawing.draw_weights(node, x[1] / node.groups * node.kernel[0] * node.kernel[1]);
  return drawing.add(std::move(node));
}

}  // namespace fovea
