// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized convolutions, with the relu and the max-pool that the accelerator computes on the way out:
/// quantize(maxpool?(relu?(bias_add?(conv2d(dequantize(x), dequantize(w)), dequantize(b))))), the pool before or behind
/// quantize; with other bounds, clips of what it quantizes; with a table, any other function of it; and with an
/// activation added: quantize(relu?(add(dequantize(the first of these without pool), dequantize(residual)))); and with
/// the mean of each channel: quantize(global_avg_pool2d(dequantize(of these, without pool))).
#include <algorithm>

#include "accumulation.h"
#include "device_pool.h"
#include "host_fields.h"
#include "on_integers.h"
#include "ops/broadcast.h"
#include "ops/operator.h"
#include "spec/dla_output.h"
#include "tensor/error.h"

namespace fovea {
namespace in_qconv2d {

/// Whether a layer can end with the pool, at the output's scale. The convolution's padding makes room for the pool's.
bool is_fused_pool(const Match& match) {
  const Graph& graph = match.graph();
  const bool is_behind_function = match.has("f of y") && match.place_of("f of y") < match.place_of("pool");
  const Node& pooled = match[is_behind_function ? "f of y" : "y"];
  const bool keeps_scale =
      !match.has("pool before") || read_quantization(graph, match["pool before"]) == read_quantization(graph, pooled);
  return keeps_scale && ends_convolution(graph, match["pool"], match["nn.conv2d"]);
}

/// The pool before the quantize.
Pattern quantized_pool(const Pattern& sum) {
  return op("qnn.quantize", {op("nn.max_pool2d", {sum}).as("pool")}).as("y");
}

Fusion fusion(const std::string& composite, bool relu, bool pool) {
  const Pattern sum = accumulate("nn.conv2d", relu), output = quantized(sum);
  if (!pool) {
    return {composite, output};
  }
  const Pattern pool_behind = on_integers("nn.max_pool2d", output, "pool");
  return {composite, either({quantized_pool(sum), pool_behind}).where(is_fused_pool)};
}

/// With bounds behind the quantize, and a pool before or behind these: both keep the order of numbers.
Fusion bounded_fusion(const std::string& composite, bool pool) {
  const Pattern sum = accumulate("nn.conv2d"), output = quantized(sum);
  if (!pool) {
    return {composite, bounded(output)};
  }
  const Pattern pool_first = bounded(either({quantized_pool(sum), on_integers("nn.max_pool2d", output, "pool")}));
  return {composite, either({on_integers("nn.max_pool2d", bounded(output), "pool"), pool_first}).where(is_fused_pool)};
}

/// With a table behind the quantize, and a pool before or behind that, where the table keeps the order of numbers.
Fusion lookup_fusion(const std::string& composite, bool pool) {
  const Pattern sum = accumulate("nn.conv2d"), output = quantized(sum);
  if (!pool) {
    return {composite, looked_up(output), true};
  }
  const auto can_end = [](const Match& match) { return is_fused_pool(match) && keeps_order(match); };
  const Pattern pool_first = looked_up(either({quantized_pool(sum), on_integers("nn.max_pool2d", output, "pool")}));
  return {composite, either({on_integers("nn.max_pool2d", looked_up(output), "pool"), pool_first}).where(can_end),
          true};
}

Residual read_residual(const Match& match) {
  const Graph& graph = match.graph();
  return {read_activation(graph, match["residual"]), read_activation(graph, match["sum y"]),
          &graph[match["sum"].inputs[0]] == &match["residual"], match.has("sum relu")};
}

/// Whether the value is a part of another, whose first byte lies anywhere in its word.
bool is_slice(const Graph& graph, NodeId id) {
  for (; is_call(graph[id], "reshape"); id = graph[id].inputs[0]) {
  }
  return is_call(graph[id], "strided_slice");
}

/// Whether the accelerator adds so: nothing is broadcast, the residual begins with a word, and it takes the scales. It
/// rounds both results in one way, which makes no difference where the sum is one of integers.
bool is_addable(const Match& match) {
  const Shape& shape = match["y"].type.shape;
  const bool is_whole = !is_slice(match.graph(), match["residual"].inputs[0]);
  if (!is_whole || match["sum"].type.shape != shape || match["residual"].type.shape != shape) {
    return false;
  }
  const auto sum = addition_of(read_activation(match.graph(), match["y"]), read_residual(match), kDlaNearestEven);
  const bool is_rounded_alike = !match.has("floor") || (sum && sum->ra == 1 && sum->rb == 1);
  return sum && is_rounded_alike && dla_is_sum(sum->ra, sum->rb, sum->fx);
}

/// Weights of the convolution whose output `id` is, dequantized, for nobody else; 0 where it is none.
int64_t count_weights(const Graph& graph, NodeId id) {
  const bool is_for_others = !graph.is_read_once(id) || !graph.is_read_once(graph[id].inputs[0]);
  id = graph[id].inputs[0];
  if (is_for_others || !is_call(graph[id], "qnn.quantize")) {
    return 0;
  }
  do {
    id = graph[id].inputs[0];
  } while (is_call(graph[id], "nn.relu") || is_call(graph[id], "nn.bias_add") || is_call(graph[id], "floor"));
  return is_call(graph[id], "nn.conv2d") ? count_elements(graph[graph[id].inputs[1]].type.shape) : 0;
}

/// Whether operand `own` of the sum is the convolution that takes it along: of two, the one that computes longer, or
/// the later one.
bool takes_sum(const Match& match, std::size_t own) {
  const Graph& graph = match.graph();
  const NodeId conv = match["sum"].inputs[own], other = match["sum"].inputs[1 - own];
  const bool other_is_quantized = is_call(graph[other], "qnn.dequantize");
  const int64_t weights = count_weights(graph, conv), others = other_is_quantized ? count_weights(graph, other) : 0;
  return weights > others || (weights != 0 && weights == others && conv > other);
}

Fusion residual_fusion(const std::string& composite, bool relu, bool sum_relu) {
  const Pattern output = quantized(accumulate("nn.conv2d", relu));
  const Pattern conv = op("qnn.dequantize", {output}), residual = activation("residual");
  const auto takes = [](std::size_t own) { return [own](const Match& match) { return takes_sum(match, own); }; };
  const Pattern sum = either(
      {op("add", {conv, residual}).as("sum").where(takes(0)), op("add", {residual, conv}).as("sum").where(takes(1))});
  const Pattern end = sum_relu ? op("nn.relu", {sum}).as("sum relu") : sum;
  return {composite, op("qnn.quantize", {end}).as("sum y").where(is_addable)};
}

ChannelMean read_mean(const Match& match) {
  const Shape& x = match.graph()[match["mean"].inputs[0]].type.shape;
  return {read_activation(match.graph(), match["mean y"]), static_cast<uint32_t>(x.at(2) * x.at(3))};
}

/// Whether the accelerator takes such a mean: by a scale that is one, of a sum that float32 has exactly.
bool is_mean(const Match& match) {
  const ChannelMean mean = read_mean(match);
  const Quantization y = read_activation(match.graph(), match["y"]);
  float scale = 0;
  return mean.count <= kMostMeanValues && dla_derive_mean_scale(y.scale(), mean.y.scale(), mean.count, &scale) &&
         dla_is_scale(scale);
}

/// The mean of what a convolution quantizes, or of that between bounds.
Fusion mean_fusion(const std::string& composite, bool relu, bool bounds) {
  const Pattern output = op("qnn.quantize", {accumulate("nn.conv2d", relu)}).as("y");
  const Pattern outputs = op("qnn.dequantize", {bounds ? bounded(output) : output});
  const Pattern mean = op("nn.global_avg_pool2d", {outputs}).as("mean");
  return {composite, op("qnn.quantize", {mean}).as("mean y").where(is_mean)};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& conv = match["nn.conv2d"];
  Qconv2d layer;
  layer.sum = read_accumulation(match, conv);
  layer.window = conv_window(match.graph(), conv);
  layer.groups = int_attribute(conv, "groups", 1);
  if (match.has("pool")) {
    layer.pool = whole_windows(match.graph(), match["pool"]);
  }
  inputs = {match["x"].inputs[0]};
  if (match.has("residual")) {
    layer.residual = read_residual(match);
    inputs.push_back(match["residual"].inputs[0]);
  }
  if (match.has("mean")) {
    layer.mean = read_mean(match);
  }
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  if (conv.mean) {
    user_error(layer.name + ": only the accelerator computes " + layer.composite +
               "; compile the ONNX file for the CPU");
  }
  // The sum or the table is a call of its own, which has the layer's name.
  const bool has_tail = conv.residual || conv.sum.table != nullptr;
  const std::string name = has_tail ? ".name = " + c_string(layer.name + "_conv") : name_field(layer);
  CallText call{"dla_qconv2d_cpu",
                "dla_qconv2d_cpu",
                {name, ifmap_ofmap_fields(layer, places) + ", " + filter_bias_fields(layer),
                 chw_fields(layer.input_types[0]) + ", .M = " + std::to_string(conv.sum.weight->type().shape[0]) +
                     ", .groups = " + std::to_string(conv.groups),
                 window_field(conv.window), quant_field(conv.sum, places.rounding)}};
  add_scaling_field(layer, conv.sum, call);
  if (conv.pool) {
    call.fields.emplace_back(".pool = true");
  }
  if (conv.pool && *conv.pool != kPlainPool) {
    call.fields.push_back(".pooling = {.size = " + std::to_string(conv.pool->kernel[0]) + ", .stride = " +
                          std::to_string(conv.pool->strides[0]) + ", .pads = " + c_list(conv.pool->pads) + "}");
  }
  return call;
}

/// The sum of the convolution's output, where it is, and the residual; or what a table makes of it.
std::optional<CallText> host_tail(const Layer& layer, const Places& places) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  if (!conv.residual) {
    return lookup_tail(layer, conv.sum, places);
  }
  const auto shape = shape_without_batch(layer.output_type);
  const auto operand = [&](const char* name, TensorId tensor, const Quantization& q) {
    return std::string(".") + name + " = {.data = " + places.arena(tensor) + ", .shape = " + c_list(shape) +
           ", .scale = " + c_float(q.scale()) + ", .zero_point = " + std::to_string(q.zero_point()) + "}";
  };
  const bool is_first = conv.residual->is_first;
  const TensorId residual = layer.inputs.at(1);
  return CallText{
      "dla_qbinary_cpu",
      "dla_qbinary_cpu",
      {name_field(layer) + ", .op = kDlaAdd",
       is_first ? operand("a", residual, conv.residual->x) : operand("a", layer.output, conv.sum.y),
       is_first ? operand("b", layer.output, conv.sum.y) : operand("b", residual, conv.residual->x),
       ".ofmap = " + places.arena(layer.output), shape_fields(layer.output_type),
       quantization_fields("ofmap", conv.residual->y),
       std::string(".relu = ") + c_bool(conv.residual->relu) + ", .rounding = " + c_rounding(places.rounding)}};
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  return constants_of(std::get<Qconv2d>(layer.body).sum);
}

NodeId onnx_end(const Layer& layer, const Graph& body) { return onnx_end_of(std::get<Qconv2d>(layer.body).sum, body); }

bool has_pool_before(const Graph& body, NodeId end) {
  NodeId id = 0;
  while (id <= end && !is_call(body[id], "nn.max_pool2d")) {
    ++id;
  }
  return id <= end;
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph& body) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  if (conv.sum.rounds_down) {
    return {};
  }
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
  if (is_rescaled(conv.sum)) {
    calls.push_back(onnx_rescaling(conv.sum));
  }
  if (conv.pool && has_pool_before(body, onnx_end(layer, body))) {
    calls.push_back(OnnxCall("MaxPool").reads_result().set(*conv.pool));
  }
  if (conv.residual) {
    OnnxCall sum("com.microsoft.QLinearAdd");
    const Shape& shape = layer.output_type.shape;
    const bool is_first = conv.residual->is_first != is_first_broadcast(shape, shape);
    is_first ? sum.reads(1, conv.residual->x) : sum.reads_result().quantized(conv.sum.y);
    is_first ? sum.reads_result().quantized(conv.sum.y) : sum.reads(1, conv.residual->x);
    calls.push_back(sum.quantized(conv.residual->y));
    if (conv.residual->relu) {
      calls.push_back(onnx_relu(conv.residual->y));
    }
  }
  if (conv.mean) {
    OnnxCall mean("com.microsoft.QLinearGlobalAveragePool");
    calls.push_back(mean.reads_result().quantized(conv.sum.y).quantized(conv.mean->y));
  }
  return calls;
}

bool is_at_shifts(const Layer& layer) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  return accumulates_at_shifts(layer) &&
         (!conv.residual || are_powers_of_two({conv.sum.y, conv.residual->x, conv.residual->y})) &&
         (!conv.mean || are_powers_of_two({conv.sum.y, conv.mean->y}));
}

std::optional<DeviceForm> device_form(const Layer& layer) {
  const auto& conv = std::get<Qconv2d>(layer.body);
  const std::string added = !conv.residual ? "" : conv.residual->relu ? "_add_relu" : "_add";
  return convolution_form("qconv2d" + suffix_of(conv.sum, conv.pool.has_value()) + added + (conv.mean ? "_mean" : ""),
                          conv, layer.input_types.at(0).shape);
}

}  // namespace in_qconv2d

LayerKind qconv2d_kind() {
  using namespace in_qconv2d;
  return {"qconv2d",
          "nn.conv2d",
          true,
          {bounded_fusion("dla.qconv2d_clip_maxpool", true), bounded_fusion("dla.qconv2d_clip", false),
           lookup_fusion("dla.qconv2d_lookup_maxpool", true), lookup_fusion("dla.qconv2d_lookup", false),
           fusion("dla.qconv2d_relu_maxpool", true, true), fusion("dla.qconv2d_maxpool", false, true),
           residual_fusion("dla.qconv2d_relu_add_relu", true, true),
           residual_fusion("dla.qconv2d_add_relu", false, true), mean_fusion("dla.qconv2d_clip_mean", false, true),
           mean_fusion("dla.qconv2d_relu_mean", true, false), mean_fusion("dla.qconv2d_mean", false, false),
           residual_fusion("dla.qconv2d_relu_add", true, false), residual_fusion("dla.qconv2d_add", false, false),
           fusion("dla.qconv2d_relu", true, false), fusion("dla.qconv2d", false, false)},
          make,
          "the accelerator has no convolution",
          host_call,
          host_constants,
          onnx_calls,
          is_at_shifts,
          host_tail,
          onnx_end,
          device_form};
}

}  // namespace fovea
