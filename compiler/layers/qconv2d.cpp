// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized convolutions, with the relu and the 2x2 max-pool that the accelerator computes on the way out:
/// quantize(maxpool?(relu?(bias_add?(conv2d(dequantize(x), dequantize(w)), dequantize(b))))), the pool before or behind
/// quantize; and with other bounds, clips of what it quantizes.
#include "accumulation.h"
#include "host_fields.h"
#include "on_integers.h"

namespace fovea {
namespace {

/// The one pool that a layer can end with, a last odd row or column dropped.
constexpr Window kFusedPool{.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}, .pads = {}};

/// ... at the output's scale.
bool is_fused_pool(const Match& match) {
  const Node& pool = match["pool"];
  const Graph& graph = match.graph();
  const bool keeps_scale = !match.has("pool before") ||
                           read_quantization(graph, match["pool before"]) == read_quantization(graph, match["y"]);
  return keeps_scale && ints_attribute(pool, "kernel", {}) == std::vector<int64_t>{2, 2} &&
         int_attribute(pool, "ceil_mode", 0) == 0 && read_window(pool, {2, 2}) == kFusedPool;
}

Fusion fusion(const std::string& composite, bool relu, bool pool) {
  const Pattern sum = accumulate("nn.conv2d", relu), output = op("qnn.quantize", {sum}).as("y");
  if (!pool) {
    return {composite, output};
  }
  const Pattern pool_first = op("qnn.quantize", {op("nn.max_pool2d", {sum}).as("pool")}).as("y");
  return {composite, either({pool_first, on_integers("nn.max_pool2d", output, "pool")}).where(is_fused_pool)};
}

/// With bounds behind the quantize, and a pool before or behind these: both keep the order of numbers.
Fusion bounded_fusion(const std::string& composite, bool pool) {
  const Pattern sum = accumulate("nn.conv2d"), output = op("qnn.quantize", {sum}).as("y");
  if (!pool) {
    return {composite, bounded(output)};
  }
  const Pattern float_pool = op("qnn.quantize", {op("nn.max_pool2d", {sum}).as("pool")}).as("y");
  const Pattern pool_first = bounded(either({float_pool, on_integers("nn.max_pool2d", output, "pool")}));
  return {composite, either({on_integers("nn.max_pool2d", bounded(output), "pool"), pool_first}).where(is_fused_pool)};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& conv = match["nn.conv2d"];
  Qconv2d layer;
  layer.sum = read_accumulation(match, conv);
  const Shape& filter = layer.sum.weight->type().shape;
  layer.window = read_window(conv, {filter[2], filter[3]});
  layer.groups = int_attribute(conv, "groups", 1);
  layer.pool = match.has("pool");
  inputs = {match["x"].inputs[0]};
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  const std::string suffix = suffix_of(conv.sum, conv.pool);
  CallText call{"dla_qconv2d" + (suffix.empty() ? "_plain" : suffix) + "_cpu",
                "dla_qconv2d_cpu",
                {name_field(layer), ifmap_ofmap_fields(layer, places) + ", " + filter_bias_fields(layer),
                 chw_fields(layer.input_types[0]) + ", .M = " + std::to_string(conv.sum.weight->type().shape[0]) +
                     ", .groups = " + std::to_string(conv.groups),
                 window_field(conv.window)}};
  if (shift_of(conv.sum)) {
    call.fields.push_back(quant_field(conv.sum, places.rounding));
  } else {
    call.function = call.type = "dla_qconv2d_scaled_cpu";
    call.fields.push_back(std::string(".pool = ") + c_bool(conv.pool));
    call.fields.push_back(scaling_field(layer, conv.sum));
  }
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer) { return constants_of(std::get<Qconv2d>(layer.body).sum); }

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  OnnxCall call("QLinearConv");
  call.reads(0, conv.sum.x).reads("filter", conv.sum.weight, conv.sum.w).quantized(conv.sum.y);
  if (has_biases(conv.sum)) {
    call.reads("bias", conv.sum.bias);
  }
  std::vector<OnnxCall> calls{call.set(conv.window).set("group", conv.groups)};
  if (conv.sum.relu) {
    calls.push_back(onnx_relu(conv.sum.y));
  }
  if (conv.sum.is_bounded()) {
    calls.push_back(onnx_bounds(conv.sum.lowest, conv.sum.highest));
  }
  if (conv.pool) {
    calls.push_back(OnnxCall("MaxPool").reads_result().set(kFusedPool));
  }
  return calls;
}

}  // namespace

LayerKind qconv2d_kind() {
  return {"qconv2d",
          "nn.conv2d",
          true,
          {bounded_fusion("dla.qconv2d_clip_maxpool", true), bounded_fusion("dla.qconv2d_clip", false),
           fusion("dla.qconv2d_relu_maxpool", true, true), fusion("dla.qconv2d_maxpool", false, true),
           fusion("dla.qconv2d_relu", true, false), fusion("dla.qconv2d", false, false)},
          make,
          "the accelerator has no convolution",
          host_call,
          host_constants,
          onnx_calls,
          accumulates_at_shifts};
}

}  // namespace fovea
