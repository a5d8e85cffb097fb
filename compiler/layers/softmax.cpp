// SPDX-License-Identifier: Apache-2.0
/// \file
/// quantize(softmax(dequantize(x))) along an axis, by a table of exponentials.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "host_fields.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// floor(1 / sy): what the quotients of exponentials and their sum are multiplied by.
float steps_of(const Softmax& softmax) { return std::floor(1 / softmax.y.scale()); }

/// Steps of the input that are added to all of its values, so that exponentials are large, and sums of `size` of them
/// no more than float32 holds. Less where the largest, times the output's steps, would be more.
double shift_of(const Softmax& softmax, int64_t size) {
  double room = static_cast<double>(std::log(FLT_MAX / static_cast<float>(size))) - 5;
  if (std::exp(room) * static_cast<double>(steps_of(softmax)) > static_cast<double>(FLT_MAX)) {
    room = static_cast<double>(std::log(FLT_MAX / steps_of(softmax))) - 5;
  }
  return std::max(0.0, room) / static_cast<double>(softmax.x.scale());
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& softmax = match["softmax"];
  inputs = {match["x"].inputs[0]};
  const Softmax layer{read_activation(graph, match["x"]), read_activation(graph, match["y"]),
                      read_axis(softmax, softmax.type.shape)};
  check_call(layer.axis != 0, softmax, "is along the batch; the batch is 1: an axis behind it works");
  check_call(std::isfinite(steps_of(layer)), softmax, "its output's scale is below 2^-128; one of about 2^-8 works");
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& softmax = std::get<Softmax>(layer.body);
  const Shape& shape = layer.output_type.shape;
  return {
      "dla_softmax_cpu",
      "dla_softmax_cpu",
      {name_field(layer), ifmap_ofmap_fields(layer, places), shape_fields(layer.output_type),
       ".size = " + std::to_string(shape[softmax.axis]) +
           ", .step = " + std::to_string(elements_from(shape, softmax.axis + 1)) + ", .exponentials = WEIGHT(" +
           layer.name + "_exponentials)",
       ".steps = " + c_float(steps_of(softmax)) + ", .ofmap_zero_point = " + std::to_string(softmax.y.zero_point())}};
}

/// e^x of the values up to the largest, which is 255 there, with the shift.
std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  const auto& softmax = std::get<Softmax>(layer.body);
  auto table = std::make_shared<Tensor>(TensorType{{256}, ElementType::kFloat32});
  const double shift = shift_of(softmax, layer.output_type.shape[softmax.axis]);
  for (int i = 0; i < 256; ++i) {
    table->set(static_cast<std::size_t>(i), std::exp((i - 255 + shift) * static_cast<double>(softmax.x.scale())));
  }
  return {{"exponentials", table}};
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& softmax = std::get<Softmax>(layer.body);
  return {OnnxCall("com.microsoft.QLinearSoftmax")
              .reads(0, softmax.x)
              .quantized(softmax.y)
              .set("axis", static_cast<int64_t>(softmax.axis))
              .set("opset", int64_t{13})};
}

/// Its table is of numbers that are rounded to nearest.
bool is_at_shifts(const Layer&) { return false; }

}  // namespace

LayerKind softmax_kind() {
  return {
      "softmax",
      "softmax",
      true,
      {{"cpu.softmax", op("qnn.quantize", {op("nn.softmax", {activation("x")}).as("softmax").or_copied()}).as("y")}},
      make,
      "the accelerator has no softmax",
      host_call,
      host_constants,
      onnx_calls,
      is_at_shifts};
}

}  // namespace fovea
