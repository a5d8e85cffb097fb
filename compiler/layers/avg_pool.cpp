// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of what is under a window: quantize(avg_pool2d(dequantize(x))).
#include <algorithm>
#include <bit>
#include <cmath>

#include "device_pool.h"
#include "host_loops.h"
#include "on_integers.h"
#include "ops/pool2d.h"
#include "spec/dla_output.h"

namespace fovea {
namespace in_avg_pool {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& pool = match["pool"];
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  inputs = {match["x"].inputs[0]};
  return AvgPool{read_window(pool, {kernel.at(0), kernel.at(1)}), int_attribute(pool, "ceil_mode", 0) != 0,
                 int_attribute(pool, "count_include_pad", 0) != 0, read_activation(graph, match["x"]),
                 read_activation(graph, match["y"])};
}

/// clamp(round(f32(f32(sum / count) / sy) + zy)), the values dequantized and added one after another in float32, as
/// ONNX Runtime's QLinearAveragePool does; of how many, with count_include_pad always the kernel's size.
LoopNest host_loops(const Layer& layer, dla_rounding rounding) {
  const auto& pool = std::get<AvgPool>(layer.body);
  const TensorType& x = layer.input_types.at(0);
  DefinitionBuilder builder({x}, layer.output_type.shape);
  const PoolTaps taps(builder, pool.window, x);
  const Expression value = dequantized(taps.x(integer_number(pool.x.zero_point())), pool.x);
  const Expression count =
      pool.count_include_pad ? Expression(pool.window.kernel[0] * pool.window.kernel[1]) : taps.count({0, 0, 0, 0});
  const Expression mean = float32(reduce(ScalarFunction::kAddFloat32, taps.axes, 0, value) / count);
  const Expression steps = float32(mean / static_cast<double>(pool.y.scale()));
  const Expression y = steps + static_cast<double>(pool.y.zero_point());
  return loops_of(layer, builder.result(rounded(y, rounding, 0, 255)));
}

/// com.microsoft's operator has no dilations.
std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& pool = std::get<AvgPool>(layer.body);
  if (pool.window.dilations != std::array<int64_t, 2>{1, 1}) {
    return {};
  }
  OnnxCall call("com.microsoft.QLinearAveragePool");
  call.reads(0, pool.x).quantized(pool.y).set(pool.window).set("ceil_mode", int64_t{pool.ceil_mode});
  call.set("count_include_pad", int64_t{pool.count_include_pad}).attributes.erase("dilations");
  return {call};
}

bool is_at_shifts(const Layer& layer) {
  const auto& pool = std::get<AvgPool>(layer.body);
  return are_powers_of_two({pool.x, pool.y});
}

/// Of a number above 0: its bits from the first 1 to the last.
int significant_bits(float value) {
  int exponent = 0;
  const auto bits = static_cast<uint32_t>(std::ldexp(std::frexp(value, &exponent), 24));
  return 24 - std::countr_zero(bits);
}

/// Whether the mean of `count` dequantized values, added in float32, is always what `sum` makes of their sum.
bool is_mean(const AvgPool& pool, int64_t count, const Accumulation& sum) {
  const auto most = static_cast<int32_t>(255 * count);
  if (significant_bits(pool.x.scale()) + std::bit_width(static_cast<uint32_t>(most)) > 24) {
    return false;  // Sums are rounded.
  }
  const auto zero_point = static_cast<uint8_t>(pool.y.zero_point());
  for (const dla_rounding rounding : {kDlaFloor, kDlaNearestEven}) {
    dla_requantization by = requantizations_of(sum, rounding)[0];
    by.is_shift = by.is_shift && by.shift >= 0;
    for (int32_t value = -most; value <= most; ++value) {
      const float dequantized = pool.x.scale() * static_cast<float>(value);
      if (dla_apply_requantization(value, &by, false, zero_point) !=
          dla_average_u8(dequantized, static_cast<float>(count), pool.y.scale(), zero_point, rounding)) {
        return false;
      }
    }
  }
  return true;
}

/// By weights of 1. Nothing where windows differ in what they count, or ONNX Runtime's float32 rounds otherwise.
std::optional<DeviceForm> device_form(const Layer& layer) {
  const auto& pool = std::get<AvgPool>(layer.body);
  const Shape& ifmap = layer.input_types.at(0).shape;
  const Window window = whole_windows(pool.window, ifmap, layer.output_type.shape);
  const int64_t count = window.kernel[0] * window.kernel[1], channels = ifmap.at(1);
  const bool is_padded = std::ranges::any_of(window.pads, [](int64_t pad) { return pad != 0; });
  if ((is_padded && !pool.count_include_pad) || refuse_window(window)) {
    return std::nullopt;
  }
  const float divisor = pool.y.scale() * static_cast<float>(count);
  const Quantization y = per_tensor(ElementType::kUint8, divisor, pool.y.zero_point());
  const Qconv2d conv{.sum = sum_of_ones({channels, 1, window.kernel[0], window.kernel[1]}, pool.x, y),
                     .window = window,
                     .groups = channels,
                     .pool = std::nullopt};
  const bool is_possible = dla_is_scale(divisor) && is_mean(pool, count, conv.sum);
  return is_possible ? std::optional(convolution_form("avgpool", conv, ifmap)) : std::nullopt;
}

}  // namespace in_avg_pool

LayerKind avg_pool_kind() {
  using namespace in_avg_pool;
  LayerKind kind{
      "avgpool",
      "pool",
      true,
      {{"dla.avgpool", op("qnn.quantize", {op("nn.avg_pool2d", {activation("x")}).as("pool").or_copied()}).as("y")}},
      make,
      "the accelerator averages where windows have one count, and float32, as ONNX Runtime has it, rounds as it does",
      nullptr,
      nullptr,
      onnx_calls,
      is_at_shifts};
  kind.device_form = device_form;
  kind.host_loops = host_loops;
  return kind;
}

}  // namespace fovea
