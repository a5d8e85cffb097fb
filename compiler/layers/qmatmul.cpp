// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products of two activations, as attention has them: quantize(matmul(dequantize(a), dequantize(b))).
#include "host_loops.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "on_integers.h"
#include "ops/matmul.h"
#include "ops/operator.h"

namespace fovea {
namespace in_qmatmul {

Operand read_operand(const Match& match, const std::string& name, std::vector<NodeId>& inputs) {
  const Node& node = match[name];
  Operand operand{read_activation(match.graph(), node), nullptr, node.type.shape};
  const Node& integers = match.graph()[node.inputs[0]];
  operand.constant = integers.kind == NodeKind::kConstant ? integers.constant : nullptr;
  if (operand.constant == nullptr) {
    inputs.push_back(node.inputs[0]);
  }
  return operand;
}

dla_requantization requantization_of(const Qmatmul& product) {
  dla_requantization by;
  const bool is_one = dla_derive_requantization(product.a.quantization.scale(), product.b.quantization.scale(),
                                                product.y.scale(), kDlaNearestEven, &by);
  by.scale = is_one ? by.scale : -1;
  return by;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& call = match["matmul"];
  Qmatmul product{read_operand(match, "a", inputs), read_operand(match, "b", inputs),
                  read_activation(match.graph(), match["y"])};
  check_call(requantization_of(product).scale >= 0, call,
             "its inputs' scales, multiplied and divided by its output's, are beyond float32; smaller ones work");
  constexpr int64_t kMostTaps = INT32_MAX / (255 * 255);
  check_call(product.a.shape.back() <= kMostTaps, call,
             "adds up " + std::to_string(product.a.shape.back()) + " products of bytes; up to " +
                 std::to_string(kMostTaps) + " fit int32");
  return product;
}

/// clamp(round(f32(f32(sum) * scale)) + zy), the sum of (a - za) * (b - zb) an int32.
LoopNest host_loops(const Layer& layer, dla_rounding rounding) {
  const auto& product = std::get<Qmatmul>(layer.body);
  const std::vector<TensorType> types{{product.a.shape, ElementType::kUint8}, {product.b.shape, ElementType::kUint8}};
  DefinitionBuilder builder(types, layer.output_type.shape);
  const MatmulTaps taps = matmul_taps(builder, product.a.shape, product.b.shape);
  const Expression a = builder.at(0, taps.a) - integer_number(product.a.quantization.zero_point());
  const Expression b = builder.at(1, taps.b) - integer_number(product.b.quantization.zero_point());
  const Expression sum = reduce(ScalarFunction::kAdd, {taps.axis}, integer_number(0), a * b);
  const Expression steps = float32(real(sum)) * static_cast<double>(requantization_of(product).scale);
  const int64_t zero_point = product.y.zero_point();
  const Expression y = rounded(steps, rounding, -zero_point, 255 - zero_point) + integer_number(zero_point);
  LoopNest loops;
  loops.constants = {product.a.constant, product.b.constant};
  loops.nest = lower("qmatmul", builder.result(y), {"a", "b"}, layer.output_type);
  verify_nest(loops.nest);
  return loops;
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& product = std::get<Qmatmul>(layer.body);
  OnnxCall call("QLinearMatMul");
  const auto read = [&](const char* name, const Operand& operand, std::size_t input) {
    operand.constant == nullptr ? call.reads(input, operand.quantization)
                                : call.reads(name, operand.constant, operand.quantization);
  };
  read("a", product.a, 0);
  read("b", product.b, layer.inputs.size() - 1);
  return {call.quantized(product.y)};
}

bool is_at_shifts(const Layer& layer) {
  const auto& product = std::get<Qmatmul>(layer.body);
  return are_powers_of_two({product.a.quantization, product.b.quantization, product.y});
}

Pattern operand(const std::string& name) { return either({activation(name), parameter(name)}); }

}  // namespace in_qmatmul

LayerKind qmatmul_kind() {
  using namespace in_qmatmul;
  const Pattern product = op("matmul", {operand("a"), operand("b")}).as("matmul").or_copied();
  LayerKind kind{"qmatmul", "matmul",
                 true,      {{"cpu.qmatmul", op("qnn.quantize", {product}).as("y")}},
                 make,      "the accelerator multiplies by weights that are known before"};
  kind.host_loops = host_loops;
  kind.onnx_calls = onnx_calls;
  kind.is_at_shifts = is_at_shifts;
  return kind;
}

}  // namespace fovea
