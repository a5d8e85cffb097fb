// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of what is under a window: quantize(avg_pool2d(dequantize(x))).
#include "host_fields.h"
#include "on_integers.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& pool = match["pool"];
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  inputs = {match["x"].inputs[0]};
  return AvgPool{read_window(pool, {kernel.at(0), kernel.at(1)}), int_attribute(pool, "ceil_mode", 0) != 0,
                 int_attribute(pool, "count_include_pad", 0) != 0, read_activation(graph, match["x"]),
                 read_activation(graph, match["y"])};
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& pool = std::get<AvgPool>(layer.body);
  return {"dla_avgpool_cpu",
          "dla_avgpool_cpu",
          {name_field(layer), ifmap_ofmap_fields(layer, places),
           chw_fields(layer.input_types[0]) + ", .ceil_mode = " + c_bool(pool.ceil_mode) +
               ", .count_include_pad = " + c_bool(pool.count_include_pad),
           window_field(pool.window), quantization_fields("ifmap", pool.x), quantization_fields("ofmap", pool.y),
           std::string(".rounding = ") + c_rounding(places.rounding)}};
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

}  // namespace

LayerKind avg_pool_kind() {
  return {
      "avgpool",
      "pool",
      true,
      {{"dla.avgpool", op("qnn.quantize", {op("nn.avg_pool2d", {activation("x")}).as("pool").or_copied()}).as("y")}},
      make,
      "the accelerator averages where windows have one count, and float32, as ONNX Runtime has it, rounds as it does",
      host_call,
      nullptr,
      onnx_calls,
      is_at_shifts};
}

}  // namespace fovea
