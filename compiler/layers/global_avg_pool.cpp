// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of each channel: quantize(global_avg_pool2d(dequantize(x))).
#include "host_loops.h"
#include "on_integers.h"
#include "ops/operator.h"

namespace fovea {
namespace in_global_avg_pool {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  inputs = {match["x"].inputs[0]};
  const GlobalAvgPool pool{read_activation(graph, match["x"]), read_activation(graph, match["y"])};
  const Shape& x = match["x"].type.shape;
  check_call(x[2] * x[3] <= DLA_MOST_MEAN_VALUES, match["pool"],
             "a plane of " + std::to_string(x[2] * x[3]) + " values; the mean of up to " +
                 std::to_string(DLA_MOST_MEAN_VALUES) + " works");
  float unused = 0;
  check_call(dla_derive_mean_scale(pool.x.scale(), pool.y.scale(), static_cast<uint32_t>(x[2] * x[3]), &unused),
             match["pool"], "its input's scale is too large for its output's; scales nearer to each other work");
  return pool;
}

/// dla_apply_scale() of the sum of a plane's x - zx.
LoopNest host_loops(const Layer& layer, dla_rounding rounding) {
  const auto& pool = std::get<GlobalAvgPool>(layer.body);
  const TensorType& x = layer.input_types.at(0);
  DefinitionBuilder builder({x}, layer.output_type.shape);
  const Axis row = builder.axis(x.shape[2]), column = builder.axis(x.shape[3]);
  const Expression pixel = builder.at(0, {builder.place(0), builder.place(1), variable(row.id), variable(column.id)});
  const int64_t count = row.size * column.size, zero_point = pool.y.zero_point();
  const Expression sum =
      reduce(ScalarFunction::kAdd, {row, column}, integer_number(-count * pool.x.zero_point()), pixel);
  float scale = 0;
  dla_derive_mean_scale(pool.x.scale(), pool.y.scale(), static_cast<uint32_t>(count), &scale);
  const Expression steps = float32(real(sum)) * static_cast<double>(scale);
  const Expression y = rounded(steps, rounding, -zero_point, 255 - zero_point) + integer_number(zero_point);
  return loops_of(layer, builder.result(y));
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& pool = std::get<GlobalAvgPool>(layer.body);
  return {OnnxCall("com.microsoft.QLinearGlobalAveragePool").reads(0, pool.x).quantized(pool.y)};
}

bool is_at_shifts(const Layer& layer) {
  const auto& pool = std::get<GlobalAvgPool>(layer.body);
  return are_powers_of_two({pool.x, pool.y});
}

/// A product of each channel with weights of 1, requantized by dla_derive_mean_scale()'s operations: weights of scale
/// 1, and an output scale of f32(sy * count).
std::optional<DeviceForm> device_form(const Layer& layer) {
  const auto& pool = std::get<GlobalAvgPool>(layer.body);
  const Shape& x = layer.input_types.at(0).shape;
  const bool is_one = x.at(0) * x.at(1) <= DLA_SHAPE_G_MAX;  // Channels of all pictures are alike.
  const int64_t channels = is_one ? x.at(0) * x.at(1) : x.at(1), count = x.at(2) * x.at(3);
  if (count > kMostMeanValues) {
    return DeviceForm{"means of " + std::to_string(count) + " values; the accelerator takes up to " +
                      std::to_string(kMostMeanValues)};
  }
  const float divisor = pool.y.scale() * static_cast<float>(count);
  if (!dla_is_scale(divisor)) {
    return DeviceForm{"its output's scale times the values of a plane is beyond float32"};
  }
  if (const auto refusal = refuse_groups(channels)) {
    return DeviceForm{*refusal};
  }
  const Quantization y = per_tensor(ElementType::kUint8, divisor, pool.y.zero_point());
  DeviceForm form = product_form("global_avg_pool", sum_of_ones({channels, count}, pool.x, y), channels);
  form.is_alike = true;
  form.pictures = is_one ? 1 : x.at(0);
  return form;
}

}  // namespace in_global_avg_pool

LayerKind global_avg_pool_kind() {
  using namespace in_global_avg_pool;
  LayerKind kind{"global_avg_pool",
                 "pool",
                 true,
                 {{"dla.global_avg_pool",
                   op("qnn.quantize", {op("nn.global_avg_pool2d", {activation("x")}).as("pool").or_copied()}).as("y")}},
                 make,
                 "the accelerator has no average pool",
                 nullptr,
                 nullptr,
                 onnx_calls,
                 is_at_shifts};
  kind.device_form = device_form;
  kind.host_loops = host_loops;
  return kind;
}

}  // namespace fovea
