// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads scales and zero points and says clearly what the machine can't represent.
#include "quantization.h"

#include <algorithm>
#include <cmath>

#include "evaluate.h"
#include "ops/operator.h"
#include "spec/dla_requant.h"
#include "tensor/error.h"
#include "text_number.h"

namespace fovea {
namespace {

std::shared_ptr<const Tensor> require_constant(const Graph& graph, const Node& call, std::size_t input) {
  auto value = constant_value(graph, call.inputs[input]);
  check_call(value != nullptr, call,
             std::string(input == 1 ? "its scale" : "its zero point") +
                 " is computed from the network's input; a constant works here");
  return value;
}

template <typename T>
bool are_equal(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [&](const T& value) { return value == values[0]; });
}

/// One scale instead of equal ones, and positive finite ones only.
Quantization with_scales_checked(const Quantization& quantization, const Node& call) {
  const auto odd = std::ranges::find_if_not(quantization.scales, [](float scale) { return dla_is_scale(scale); });
  if (odd != quantization.scales.end()) {
    user_error(call_name(call) + ": the scale " + number(*odd) + " is no positive finite number");
  }
  return quantization.is_per_tensor()
             ? per_tensor(quantization.element, quantization.scale(), quantization.zero_point())
             : quantization;
}

}  // namespace

std::shared_ptr<const Tensor> constant_value(const Graph& graph, NodeId id) {
  if (graph[id].kind == NodeKind::kConstant) {
    return graph[id].constant;
  }
  std::optional<Tensor> value = evaluate_constant(graph, id);
  return value ? std::make_shared<const Tensor>(std::move(*value)) : nullptr;
}

bool Quantization::is_per_tensor() const { return are_equal(scales) && are_equal(zero_points); }

Quantization per_tensor(ElementType element, float scale, int64_t zero_point) {
  return {element, {scale}, {zero_point}, 0};
}

bool has_constant_quantization(const Graph& graph, const Node& call) {
  return constant_value(graph, call.inputs[1]) != nullptr && constant_value(graph, call.inputs[2]) != nullptr;
}

Quantization read_quantization(const Graph& graph, const Node& call) {
  internal_check(is_call(call, "qnn.quantize") || is_call(call, "qnn.dequantize"),
                 "parameters are read from a quantize or dequantize");
  const auto scale = require_constant(graph, call, 1), zero_point = require_constant(graph, call, 2);
  Quantization quantization{zero_point->type().element, {}, {}, 0};
  for (const float value : scale->values<float>()) {
    quantization.scales.push_back(value);
  }
  for (std::size_t i = 0; i < quantization.scales.size(); ++i) {
    quantization.zero_points.push_back(zero_point->integer_at(i));
  }
  if (quantization.scales.size() > 1) {
    quantization.axis = int_attribute(call, "axis", 0);
  }
  return quantization;
}

bool is_power_of_two(float scale) {
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5F;
}

int scale_log2(float scale) { return std::ilogb(scale); }

Quantization read_activation(const Graph& graph, const Node& call) {
  Quantization quantization = with_scales_checked(read_quantization(graph, call), call);
  check_call(quantization.element == ElementType::kUint8, call,
             "activations must be uint8, not " + std::string(to_text(quantization.element)));
  check_call(are_equal(quantization.scales), call,
             "has " + std::to_string(quantization.scales.size()) +
                 " scales, one a channel; activations quantized per tensor, with one scale, work");
  check_call(are_equal(quantization.zero_points), call,
             "has a zero point a channel; quantize per tensor, with one zero point");
  return quantization;
}

bool is_per_filter(const Quantization& quantization, std::size_t rank) {
  return quantization.scales.size() == 1 || quantization.axis == 0 || quantization.axis == -static_cast<int64_t>(rank);
}

Quantization read_parameter(const Graph& graph, const Node& call, const char* what) {
  Quantization quantization = with_scales_checked(read_quantization(graph, call), call);
  check_call(is_per_filter(quantization, graph[call.inputs[0]].type.shape.size()), call,
             "has a scale for each index of axis " + std::to_string(quantization.axis) + " of " + what +
                 "; one scale, or one a filter, works");
  return quantization;
}

bool is_scale_of_products(float given, float product) {
  return std::abs(double{given} - double{product}) <= 1e-6 + 0.01 * double{product};
}

}  // namespace fovea
