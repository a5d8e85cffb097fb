// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of each channel: quantize(global_avg_pool2d(dequantize(x))).
#include "host_fields.h"
#include "on_integers.h"
#include "ops/operator.h"

namespace fovea {
namespace {

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

CallText host_call(const Layer& layer, const Places& places) {
  const auto& pool = std::get<GlobalAvgPool>(layer.body);
  return {"dla_global_avg_pool_cpu",
          "dla_global_avg_pool_cpu",
          {name_field(layer), ifmap_ofmap_fields(layer, places), chw_fields(layer.input_types[0]),
           quantization_fields("ifmap", pool.x), quantization_fields("ofmap", pool.y),
           std::string(".rounding = ") + c_rounding(places.rounding)}};
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
  const int64_t channels = x.at(1), count = x.at(2) * x.at(3);
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
  return form;
}

}  // namespace

LayerKind global_avg_pool_kind() {
  LayerKind kind{"global_avg_pool",
                 "pool",
                 true,
                 {{"dla.global_avg_pool",
                   op("qnn.quantize", {op("nn.global_avg_pool2d", {activation("x")}).as("pool").or_copied()}).as("y")}},
                 make,
                 "the accelerator has no average pool",
                 host_call,
                 nullptr,
                 onnx_calls,
                 is_at_shifts};
  kind.device_form = device_form;
  return kind;
}

}  // namespace fovea
