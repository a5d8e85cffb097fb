// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized convolutions, with the relu and the 2x2 max-pool that the accelerator computes on the way out.
#include <algorithm>

#include "families.h"
#include "on_integers.h"
#include "ops/window.h"

namespace fovea {
namespace {

/// The one pool that the accelerator has: 2x2, stride 2, a last odd row or column dropped.
bool is_fused_pool(const Match& match) {
  const Node& pool = match["pool"];
  const Window window = read_window(pool, {2, 2});
  return ints_attribute(pool, "kernel", {}) == std::vector<int64_t>{2, 2} && int_attribute(pool, "ceil_mode", 0) == 0 &&
         window == Window{.kernel = {2, 2}, .strides = {2, 2}};
}

Pattern accumulate() {
  const Pattern conv = op("nn.conv2d", {activation(), parameter()}).as("conv");
  return maybe("nn.bias_add", conv, {parameter()});
}

Pattern make_pattern(Epilogue epilogue) {
  const Pattern sum = epilogue.relu ? op("nn.relu", {accumulate()}) : accumulate();
  Pattern output = op("qnn.quantize", {sum});
  if (!epilogue.pool) {
    return output;
  }
  const Pattern pool_first = op("qnn.quantize", {op("nn.max_pool2d", {sum}).as("pool")});
  return either({pool_first, on_integers("nn.max_pool2d", output, "pool")}).where(is_fused_pool);
}

template <typename Numbers>
std::string joined(const Numbers& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

/// Limits of the layer command itself, whatever the machine.
std::optional<std::string> refuse_window(const Window& w) {
  if (w.dilations != std::array<int64_t, 2>{1, 1}) {
    return "dilations are " + joined(w.dilations) + "; the accelerator takes [1, 1]";
  }
  if (w.strides[0] != w.strides[1] || w.strides[0] > 4) {
    return "strides are " + joined(w.strides) + "; the accelerator takes equal ones, 1 to 4";
  }
  if (std::any_of(w.pads.begin(), w.pads.end(), [&](int64_t pad) { return pad != w.pads[0] || pad > 5; })) {
    return "pads are " + joined(w.pads) + "; the accelerator takes equal ones, 0 to 5";
  }
  if (w.kernel[0] > 11 || w.kernel[1] > 11) {
    return "the filter is " + std::to_string(w.kernel[0]) + "x" + std::to_string(w.kernel[1]) +
           "; the accelerator takes up to 11x11";
  }
  return std::nullopt;
}

std::optional<std::string> refuse_conv2d(const Match& match, const MachineLimits& limits) {
  const Node& conv = match["conv"];
  const Shape& x = match.graph()[conv.inputs[0]].type.shape;
  const Shape& w = match.graph()[conv.inputs[1]].type.shape;
  const Window window = read_window(conv, {w[2], w[3]});
  if (auto reason = refuse_window(window)) {
    return reason;
  }
  const auto field = [](int64_t value) { return static_cast<uint32_t>(value); };
  dla_shape shape{};
  shape.C = field(w[1]);
  shape.H = field(x[2]);
  shape.W = field(x[3]);
  shape.M = field(w[0] / int_attribute(conv, "groups", 1));
  shape.R = field(w[2]);
  shape.S = field(w[3]);
  shape.U = field(window.strides[0]);
  shape.PAD = field(window.pads[0]);
  shape.pool = match.has("pool");
  return limits.refuse_conv ? limits.refuse_conv(shape) : std::nullopt;
}

}  // namespace

Fusion qconv2d(Epilogue epilogue) {
  return {composite_name("dla.qconv2d", epilogue), make_pattern(epilogue), "conv", refuse_conv2d};
}

}  // namespace fovea
