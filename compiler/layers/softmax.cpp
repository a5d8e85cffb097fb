// SPDX-License-Identifier: Apache-2.0
/// \file
/// quantize(softmax(dequantize(x))) along an axis, by a table of exponentials.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "host_loops.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace in_softmax {

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
  check_call(std::isfinite(steps_of(layer)), softmax, "its output's scale is below 2^-128; one of about 2^-8 works");
  return layer;
}

/// e^x of the values up to the largest, which is 255 there, with the shift.
std::shared_ptr<const Tensor> exponentials_of(const Layer& layer) {
  const auto& softmax = std::get<Softmax>(layer.body);
  auto table = std::make_shared<Tensor>(TensorType{{256}, ElementType::kFloat32});
  const double shift = shift_of(softmax, layer.output_type.shape[softmax.axis]);
  for (int i = 0; i < 256; ++i) {
    table->set(static_cast<std::size_t>(i), std::exp((i - 255 + shift) * static_cast<double>(softmax.x.scale())));
  }
  return table;
}

/// clamp(rne(f32(f32(e * steps) / sum)) + zy) of exponentials e, which are added one after another in float32.
LoopNest host_loops(const Layer& layer, dla_rounding) {
  const auto& softmax = std::get<Softmax>(layer.body);
  const std::shared_ptr<const Tensor> table = exponentials_of(layer);
  const Shape& shape = layer.output_type.shape;
  DefinitionBuilder builder({layer.input_types.at(0), table->type()}, shape);
  const Axis k = builder.axis(shape[softmax.axis]);
  std::vector<Expression> along = builder.places();
  along[softmax.axis] = variable(k.id);
  const Expression x = builder.at(0, along);
  const Expression most = builder.stage({softmax.axis}, reduce(ScalarFunction::kMaximum, {k}, integer_number(0), x));
  const auto exponential = [&](const Expression& byte) {
    return builder.at(1, {minimum(255, index(byte) - index(most) + 255)});
  };
  const Expression sum = builder.stage({softmax.axis}, reduce(ScalarFunction::kAddFloat32, {k}, 0, exponential(x)));
  const Expression product = float32(exponential(builder.broadcast(0)) * static_cast<double>(steps_of(softmax)));
  const int64_t zero_point = softmax.y.zero_point();
  const Expression y = rounded(product / sum, kDlaNearestEven, 0, 255 - zero_point) + integer_number(zero_point);
  return loops_of(layer, builder.result(y), {{"exponentials", table}});
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

}  // namespace in_softmax

LayerKind softmax_kind() {
  using namespace in_softmax;
  const Pattern softmax = op("nn.softmax", {activation("x")}).as("softmax").or_copied();
  LayerKind kind{"softmax", "softmax",
                 true,      {{"cpu.softmax", op("qnn.quantize", {softmax}).as("y")}},
                 make,      "the accelerator has no softmax"};
  kind.host_loops = host_loops;
  kind.onnx_calls = onnx_calls;
  kind.is_at_shifts = is_at_shifts;
  return kind;
}

}  // namespace fovea
