// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conv of random networks, with ReLU and a max-pool now and then.
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
  const DrawnWindow& window = node.window;
  const int64_t R = window.kernel[0], S = window.kernel[1];
  std::vector<int64_t> sums;
  for (int64_t m = 0; m < shape[1]; ++m) {
    const int64_t first = m / (shape[1] / node.groups) * C;
    for (int64_t e = 0; e < shape[2]; ++e) {
      for (int64_t f = 0; f < shape[3]; ++f) {
        int64_t sum = node.biases.empty() ? 0 : node.biases[static_cast<std::size_t>(m)];
        for (int64_t tap = 0; tap < C * R * S; ++tap) {
          const int64_t h = e * window.strides[0] - window.pads[0] + tap / S % R * window.dilations[0];
          const int64_t w = f * window.strides[1] - window.pads[1] + tap % S * window.dilations[1];
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

/// Often what most networks have: equal strides and pads.
DrawnWindow draw_window(NetworkDrawing& drawing, const std::vector<int64_t>& x) {
  DrawnWindow window;
  for (int axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = std::min(drawing.between(1, 5), x[static_cast<std::size_t>(axis) + 2]);
  }
  const int64_t stride = drawing.one_in(4) ? 2 : 1, smallest = std::min(window.kernel[0], window.kernel[1]);
  const int64_t pad = drawing.one_in(10) ? drawing.between(0, 3) : drawing.one_in(3) ? 0 : smallest / 2;
  const bool is_uneven = drawing.one_in(3);
  for (int i = 0; i < 4; ++i) {
    window.pads[i] = is_uneven ? drawing.between(0, window.kernel[i % 2] - 1) : pad;
  }
  for (int axis = 0; axis < 2; ++axis) {
    window.strides[axis] = is_uneven ? drawing.between(1, 3) : stride;
    window.dilations[axis] = drawing.one_in(12) ? 2 : 1;
  }
  return window;
}

/// Most are pools that the accelerator has behind a convolution: square ones of 2 and 3 at such strides.
DrawnWindow draw_fused_pool(NetworkDrawing& drawing, const std::vector<int64_t>& x) {
  DrawnWindow pool{.kernel = {2, 2}, .strides = {2, 2}};
  if (drawing.one_in(3)) {
    return pool;
  }
  pool.kernel[0] = pool.kernel[1] = drawing.between(2, 3);
  pool.strides[0] = pool.strides[1] = drawing.one_in(2) ? drawing.between(1, 3) : 2;
  for (int64_t& pad : pool.pads) {
    pad = drawing.one_in(2) ? 0 : drawing.between(0, pool.kernel[0] - 1);
  }
  pool.ceil_mode = drawing.one_in(3) && !leaves_out_window(pool, x[2], 0) && !leaves_out_window(pool, x[3], 1);
  return pool;
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
  node.window = draw_window(drawing, x);
  int64_t M = drawing.between(1, 16);
  if (drawing.one_in(10)) {
    node.groups = x[1];
    M = x[1] * drawing.between(1, 2);
  }
  node.shape = windowed_shape(x, M, node.window);
  const int64_t taps = x[1] / node.groups * node.window.kernel[0] * node.window.kernel[1];
  const int64_t macs = static_cast<int64_t>(element_count(node.shape)) * taps;
  if (node.shape[2] < 1 || node.shape[3] < 1 || macs > kMaxMacs) {
    return false;
  }
  node.relu = !drawing.one_in(3);
  const DrawnWindow pool = draw_fused_pool(drawing, node.shape);
  const std::vector<int64_t> pooled = windowed_shape(node.shape, M, pool);
  if (pooled[2] >= 1 && pooled[3] >= 1 && drawing.one_in(4)) {
    node.pool = true;
    node.pool_window = pool;
    node.shape = pooled;
  }
  drawing.draw_weights(node, taps);
  drawing.add(std::move(node));
  return true;
}

std::vector<int64_t> filter_shape(const NetworkWriter& writer, const DrawnNode& node) {
  return {node.shape[1], writer.input_of(node, 0).shape[1] / node.groups, node.window.kernel[0], node.window.kernel[1]};
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all{inputs[0], writer.float_weights(node, filter_shape(writer, node))};
  if (!node.biases.empty()) {
    all.push_back(writer.float_biases(node));
  }
  onnx::NodeProto& conv = writer.node("Conv", all, node.name + "_sum");
  set_window(conv, node.window);
  set_int(conv, "group", node.groups);
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
  onnx::NodeProto& conv = writer.node("QLinearConv", all, node.name + "_sum");
  set_window(conv, node.window);
  set_int(conv, "group", node.groups);
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
  const int64_t pad = is_small ? drawing.between(0, 1) : 0;
  node.window = {.kernel = {2 * pad + 1, 2 * pad + 1}, .pads = {pad, pad, pad, pad}};
  node.shape = windowed_shape(x, channels, node.window);
  node.relu = drawing.one_in(2);
  drawing.draw_weights(node, x[1] * node.window.kernel[0] * node.window.kernel[1]);
  return drawing.add(std::move(node));
}

}  // namespace fovea
