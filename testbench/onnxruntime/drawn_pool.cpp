// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pools of random networks: maximum and average under any window, and the average of each channel.
#include <algorithm>
#include <cmath>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

/// A window that the accelerator has: square, at one stride.
DrawnWindow draw_square(NetworkDrawing& drawing) {
  DrawnWindow window;
  window.kernel[0] = window.kernel[1] = drawing.between(2, 3);
  window.strides[0] = window.strides[1] = drawing.between(1, 3);
  for (int64_t& pad : window.pads) {
    pad = drawing.between(0, window.kernel[0] - 1);
  }
  return window;
}

/// Half of them 2x2 with stride 2. ONNX Runtime's average pool on uint8 has no dilations.
DrawnWindow draw_window(NetworkDrawing& drawing, bool is_average) {
  if (drawing.one_in(2)) {
    return {.kernel = {2, 2}, .strides = {2, 2}};
  }
  if (!is_average && drawing.one_in(3)) {
    return draw_square(drawing);
  }
  DrawnWindow window;
  for (int axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = drawing.between(1, 4);
    window.strides[axis] = drawing.between(1, 3);
    window.dilations[axis] = !is_average && drawing.one_in(4) ? 2 : 1;
    window.pads[axis] = drawing.between(0, window.kernel[axis] - 1);
    window.pads[axis + 2] = drawing.between(0, window.kernel[axis] - 1);
  }
  window.ceil_mode = drawing.one_in(3);
  window.count_include_pad = is_average && drawing.one_in(3);
  return window;
}

bool draw_pool(NetworkDrawing& drawing, const OperatorRow& row) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id).size() == 4; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &row;
  node.inputs = {*from};
  const std::vector<int64_t>& x = drawing.shape(*from);
  node.window = draw_window(drawing, row.reals != nullptr);
  node.window.ceil_mode &= !leaves_out_window(node.window, x[2], 0) && !leaves_out_window(node.window, x[3], 1);
  node.shape = windowed_shape(x, x[1], node.window);
  if (node.shape[2] < 1 || node.shape[3] < 1) {
    return false;
  }
  node.is_on_integers = row.reals == nullptr && drawing.one_in(3);
  drawing.add(std::move(node));
  return true;
}

bool draw_max(NetworkDrawing& drawing) { return draw_pool(drawing, kMaxPoolRow); }
bool draw_average(NetworkDrawing& drawing) { return draw_pool(drawing, kAvgPoolRow); }

Bytes evaluate_max(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const ValueId x = node.inputs[0];
  return max_pool(values[x], network.nodes[x].shape, node.window);
}

/// Sums of the dequantized values under each position, added one after another, and how many each is divided by.
template <typename Real>
std::vector<Real> averages(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const DrawnNode& input = network.nodes[node.inputs[0]];
  const std::vector<float> x = dequantize_bytes(values[node.inputs[0]], input.quant);
  const auto plane = static_cast<std::size_t>(input.shape[2] * input.shape[3]);
  const auto kernel = static_cast<Real>(node.window.kernel[0] * node.window.kernel[1]);
  std::vector<Real> means;
  for (std::size_t c = 0; c < static_cast<std::size_t>(node.shape[1]); ++c) {
    for (int64_t i = 0; i < node.shape[2] * node.shape[3]; ++i) {
      const auto places = covered(node.window, i / node.shape[3], i % node.shape[3], input.shape[2], input.shape[3]);
      Real sum = 0;
      for (const std::size_t place : places) {
        sum += x[c * plane + place];
      }
      means.push_back(sum / (node.window.count_include_pad ? kernel : static_cast<Real>(places.size())));
    }
  }
  return means;
}

/// With ceil_mode a last window may reach beyond the padding. QLinearAveragePool counts the places there; AveragePool,
/// as ONNX defines it, does not.
std::vector<double> float_averages(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const DrawnWindow& w = node.window;
  if (!w.ceil_mode || !w.count_include_pad) {
    return {};
  }
  DrawnWindow in_padding = w;
  std::fill(in_padding.pads, in_padding.pads + 4, 0);
  const std::vector<int64_t>& x = network.nodes[node.inputs[0]].shape;
  const int64_t rows = x[2] + w.pads[0] + w.pads[2], columns = x[3] + w.pads[1] + w.pads[3];
  std::vector<double> means = averages<double>(network, node, values);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const auto place = static_cast<int64_t>(i) % (node.shape[2] * node.shape[3]);
    const auto counted = covered(in_padding, place / node.shape[3], place % node.shape[3], rows, columns).size();
    means[i] *= static_cast<double>(w.kernel[0] * w.kernel[1]) / static_cast<double>(counted);
  }
  return means;
}

std::string write_pool(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  set_window(writer.node("MaxPool", inputs, node.name + "_pooled"), node.window);
  return node.name + "_pooled";
}

std::string write_average_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  set_window(writer.node("AveragePool", inputs, node.name + "_pooled"), node.window);
  return node.name + "_pooled";
}

/// Tensor, scale, zero point; those of the result.
std::vector<std::string> quantized_inputs(NetworkWriter& writer, const DrawnNode& node, const std::string& input) {
  std::vector<std::string> all{input};
  NetworkWriter::add_quant(all, writer.input_of(node, 0));
  NetworkWriter::add_quant(all, node);
  return all;
}

std::string write_average_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  const std::vector<std::string> all = quantized_inputs(writer, node, inputs[0]);
  set_window(writer.node("QLinearAveragePool", all, node.name + "_pooled", true), node.window);
  return node.name + "_pooled";
}

bool draw_global(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id).size() == 4; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &kGlobalPoolRow;
  node.inputs = {*from};
  node.shape = {1, drawing.shape(*from)[1], 1, 1};
  drawing.add(std::move(node));
  return true;
}

/// Of each channel, the sum of what its values are above the zero point.
std::vector<int64_t> channel_sums(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const Bytes& x = values[node.inputs[0]];
  std::vector<int64_t> sums(static_cast<std::size_t>(node.shape[1]));
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[i * sums.size() / x.size()] += x[i] - network.nodes[node.inputs[0]].quant.zero_point;
  }
  return sums;
}

/// Values in a channel.
int64_t plane_of(const DrawnNetwork& network, const DrawnNode& node) {
  const std::vector<int64_t>& x = network.nodes[node.inputs[0]].shape;
  return x[2] * x[3];
}

std::vector<double> global_reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const double scale = static_cast<double>(network.nodes[node.inputs[0]].quant.scale);
  std::vector<double> means;
  for (const int64_t sum : channel_sums(network, node, values)) {
    means.push_back(static_cast<double>(sum) * scale / static_cast<double>(plane_of(network, node)));
  }
  return means;
}

Bytes evaluate_global(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const float divisor = node.quant.scale * static_cast<float>(plane_of(network, node));
  const float scale = network.nodes[node.inputs[0]].quant.scale / divisor;
  Bytes bytes;
  for (const int64_t sum : channel_sums(network, node, values)) {
    bytes.push_back(quantize_outside(static_cast<float>(sum) * scale, node.quant.zero_point));
  }
  return bytes;
}

/// The zero point is inside the rounding; not where the window is the whole plane, which is a global average.
Bytes evaluate_average(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const DrawnWindow& w = node.window;
  const std::vector<int64_t>& x = network.nodes[node.inputs[0]].shape;
  if (w.kernel[0] == x[2] && w.kernel[1] == x[3] &&
      std::all_of(w.pads, w.pads + 4, [](int64_t pad) { return pad == 0; })) {
    return evaluate_global(network, node, values);
  }
  Bytes bytes;
  for (const float mean : averages<float>(network, node, values)) {
    const float steps = mean / node.quant.scale + static_cast<float>(node.quant.zero_point);
    bytes.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(steps), 0.0F, 255.0F)));
  }
  return bytes;
}

std::string write_global_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  writer.node("GlobalAveragePool", inputs, node.name + "_mean");
  return node.name + "_mean";
}

std::string write_global_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  const std::vector<std::string> all = quantized_inputs(writer, node, inputs[0]);
  set_int(writer.node("QLinearGlobalAveragePool", all, node.name + "_mean", true), "channels_last", 0);
  return node.name + "_mean";
}

}  // namespace

const OperatorRow kMaxPoolRow{"maxpool", 2, draw_max, nullptr, evaluate_max, write_pool, write_pool};
const OperatorRow kAvgPoolRow{
    "avgpool",           2,       draw_average, averages<double>, evaluate_average, write_average_float,
    write_average_uint8, nullptr, nullptr,      float_averages};
const OperatorRow kGlobalPoolRow{"global_avgpool",  1, draw_global, global_reals, evaluate_global, write_global_float,
                                 write_global_uint8};

}  // namespace fovea
