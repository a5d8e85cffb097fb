// SPDX-License-Identifier: Apache-2.0
/// \file
/// From one scale and zero point to another: quantize(relu?(dequantize(x))).
#include "host_fields.h"
#include "on_integers.h"

namespace fovea {
namespace in_requantize {

Fusion fusion(const std::string& composite, bool relu) {
  const Pattern x = activation("x");
  return {composite, op("qnn.quantize", {relu ? op("nn.relu", {x}).as("relu").or_copied() : x}).as("y")};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  inputs = {match["x"].inputs[0]};
  return Requantize{read_activation(graph, match["x"]), read_activation(graph, match["y"]), match.has("relu")};
}

CallText host_call(const Layer& layer, const Places& places) {
  return lookup_call(layer, places, 1, count_elements(layer.output_type.shape));
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding rounding) {
  const auto& requantize = std::get<Requantize>(layer.body);
  return {{"table", rescaling_table(requantize.x, requantize.y, requantize.relu, rounding)}};
}

/// A concatenation of one: a change of scale that ONNX Runtime does not take for a pair of conversions to drop.
std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& requantize = std::get<Requantize>(layer.body);
  std::vector<OnnxCall> calls{OnnxCall("com.microsoft.QLinearConcat").quantized(requantize.y).reads(0, requantize.x)};
  calls[0].set("axis", int64_t{1});
  if (requantize.relu) {
    calls.push_back(onnx_relu(requantize.y));
  }
  return calls;
}

bool is_at_shifts(const Layer& layer) {
  const auto& requantize = std::get<Requantize>(layer.body);
  return are_powers_of_two({requantize.x, requantize.y});
}

}  // namespace in_requantize

LayerKind requantize_kind() {
  using namespace in_requantize;
  return {"requantize", "y",
          true,         {fusion("cpu.requantize_relu", true), fusion("cpu.requantize", false)},
          make,         "the accelerator requantizes only what it has accumulated",
          host_call,    host_constants,
          onnx_calls,   is_at_shifts};
}

}  // namespace fovea
