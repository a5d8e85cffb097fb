// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sum of two activations, each at its own scale, as where branches meet: quantize(relu?(add(dequantize(a),
/// dequantize(b)))).
#include "host_fields.h"
#include "ir/operator.h"
#include "on_integers.h"

namespace fovea {
namespace {

/// The runtime adds element to element.
bool has_equal_shapes(const Match& match) { return match["a"].type.shape == match["b"].type.shape; }

Fusion fusion(const std::string& composite, bool relu) {
  const Pattern sum = op("add", {activation("a"), activation("b")}).as("add").where(has_equal_shapes).or_copied();
  return {composite, op("qnn.quantize", {relu ? op("nn.relu", {sum}).as("relu").or_copied() : sum}).as("y")};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  inputs = {match["a"].inputs[0], match["b"].inputs[0]};
  const Qadd add{read_activation(graph, match["a"]), read_activation(graph, match["b"]),
                 read_activation(graph, match["y"]), match.has("relu")};
  dla_addition unused;
  check_call(dla_derive_addition(add.a.scale(), 0, add.b.scale(), 0, add.y.scale(), 0, kDlaNearestEven, &unused),
             match["add"], "an input's scale is more than 2^117 times its output's; scales nearer to each other work");
  return add;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& add = std::get<Qadd>(layer.body);
  return {"dla_" + layer.composite + "_cpu",
          "dla_qadd_cpu",
          {name_field(layer),
           ".a = " + places.arena(layer.inputs[0]) + ", .b = " + places.arena(layer.inputs[1]) +
               ", .ofmap = " + places.arena(layer.output),
           shape_fields(layer.output_type), quantization_fields("a", add.a), quantization_fields("b", add.b),
           quantization_fields("ofmap", add.y), std::string(".rounding = ") + c_rounding(places.rounding)}};
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& add = std::get<Qadd>(layer.body);
  std::vector<OnnxCall> calls{OnnxCall("com.microsoft.QLinearAdd").reads(0, add.a).reads(1, add.b).quantized(add.y)};
  if (add.relu) {
    calls.push_back(onnx_relu(add.y));
  }
  return calls;
}

bool is_at_shifts(const Layer& layer) {
  const auto& add = std::get<Qadd>(layer.body);
  return are_powers_of_two({add.a, add.b, add.y});
}

}  // namespace

LayerKind qadd_kind() {
  return {"qadd",     "add",
          true,       {fusion("cpu.qadd_relu", true), fusion("cpu.qadd", false)},
          make,       "the accelerator adds only what it has multiplied",
          host_call,  nullptr,
          onnx_calls, is_at_shifts};
}

}  // namespace fovea
