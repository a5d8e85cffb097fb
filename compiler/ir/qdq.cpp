// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads scales and zero points and says clearly what the machine can't represent.
#include "qdq.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "error.h"
#include "operator.h"
#include "ops/evaluate.h"

namespace fovea {
namespace {

std::shared_ptr<const Tensor> require_constant(const Graph& graph, const Node& call, std::size_t input) {
  auto value = constant_value(graph, call.inputs[input]);
  check_call(value != nullptr, call, call.op->inputs[input] + " must be a constant");
  return value;
}

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

std::shared_ptr<const Tensor> constant_value(const Graph& graph, NodeId id) {
  if (graph[id].kind == NodeKind::kConstant) {
    return graph[id].constant;
  }
  std::optional<Tensor> value = evaluate_constant(graph, id);
  return value ? std::make_shared<const Tensor>(std::move(*value)) : nullptr;
}

QdqParameters read_qdq(const Graph& graph, const Node& call) {
  const bool is_quantize = is_call(call, "qnn.quantize");
  internal_check(is_quantize || is_call(call, "qnn.dequantize"), "parameters are read from a quantize or dequantize");
  const auto scale = require_constant(graph, call, 1), zero_point = require_constant(graph, call, 2);
  QdqParameters parameters{zero_point->type().element, {}, {}};
  for (float value : scale->values<float>()) {
    parameters.scales.push_back(value);
  }
  for (std::size_t i = 0; i < parameters.scales.size(); ++i) {
    parameters.zero_points.push_back(zero_point->integer_at(i));
  }
  return parameters;
}

int read_scale_log2(const Graph& graph, const Node& call) {
  const std::vector<float> scales = read_qdq(graph, call).scales;
  const float scale = scales.at(0);
  check_call(std::all_of(scales.begin(), scales.end(), [&](float other) { return other == scale; }), call,
             "has " + std::to_string(scales.size()) +
                 " scales, one a channel; quantize per tensor, with one power-of-two scale");
  check_call(std::isnormal(scale) && scale > 0, call, "the scale " + number(scale) + " is no positive number");
  int exponent = 0;
  const bool is_power = std::frexp(scale, &exponent) == 0.5F;
  const int nearest = static_cast<int>(std::lround(std::log2(scale)));
  check_call(is_power, call,
             "the scale " + number(scale) +
                 " is not a power of two; quantize with power-of-two scales (the nearest is 2^" +
                 std::to_string(nearest) + " = " + number(std::ldexp(1.0, nearest)) + ")");
  check_call(exponent - 1 <= 126, call, "the scale " + number(scale) + " is too large; 2^-126 to 2^126 work");
  return exponent - 1;
}

Quantization read_activation(const Graph& graph, const Node& call) {
  const QdqParameters parameters = read_qdq(graph, call);
  check_call(parameters.element == ElementType::kUint8, call,
             "activations must be uint8, not " + std::string(to_text(parameters.element)));
  const int scale_log2 = read_scale_log2(graph, call);
  const int64_t zero_point = parameters.zero_points.at(0);
  check_call(std::all_of(parameters.zero_points.begin(), parameters.zero_points.end(),
                         [&](int64_t other) { return other == zero_point; }),
             call, "has a zero point a channel; quantize per tensor, with one zero point");
  return {scale_log2, static_cast<uint8_t>(zero_point)};
}

void check_symmetric(const Graph& graph, const Node& call, ElementType element, const char* what) {
  const QdqParameters parameters = read_qdq(graph, call);
  check_call(parameters.element == element, call,
             std::string(what) + " must be " + std::string(to_text(element)) + ", not " +
                 std::string(to_text(parameters.element)));
  for (int64_t zero_point : parameters.zero_points) {
    check_call(zero_point == 0, call,
               "the zero point " + std::to_string(zero_point) + " of " + what + " is not supported; quantize " + what +
                   " symmetrically, with zero point 0");
  }
}

}  // namespace fovea
