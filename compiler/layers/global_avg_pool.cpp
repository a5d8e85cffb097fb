// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of each channel: quantize(global_avg_pool2d(dequantize(x))).
#include "host_fields.h"
#include "ir/operator.h"
#include "on_integers.h"

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

}  // namespace

LayerKind global_avg_pool_kind() {
  return {"global_avg_pool",
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
}

}  // namespace fovea
