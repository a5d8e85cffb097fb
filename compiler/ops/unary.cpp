// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of one float32 number, element by element: in double, rounded once.
#include "unary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/error.h"
#include "ir/operator.h"
#include "ops.h"

namespace fovea {
namespace {

/// A call's attributes, in the order of its row in ops.def.
using Settings = std::array<double, 2>;

struct UnaryFunction {
  std::string_view op;
  double (*apply)(double x, const Settings& settings);
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// log(1 + e^x), for large x too.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double elu(double x, double alpha) { return x >= 0 ? x : alpha * std::expm1(x); }

double hard_sigmoid(double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }

/// As ONNX says it: with tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)) in the place of erf(x / sqrt(2)).
double gelu_tanh(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

constexpr std::array kFunctions{
    UnaryFunction{"ceil", [](double x, const Settings&) { return std::ceil(x); }},
    UnaryFunction{"elu", [](double x, const Settings& s) { return elu(x, s[0]); }},
    UnaryFunction{"erf", [](double x, const Settings&) { return std::erf(x); }},
    UnaryFunction{"exp", [](double x, const Settings&) { return std::exp(x); }},
    UnaryFunction{"floor", [](double x, const Settings&) { return std::floor(x); }},
    UnaryFunction{"gelu", [](double x, const Settings&) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }},
    UnaryFunction{"gelu_tanh", [](double x, const Settings&) { return gelu_tanh(x); }},
    UnaryFunction{"hard_sigmoid", [](double x, const Settings& s) { return hard_sigmoid(x, s[0], s[1]); }},
    UnaryFunction{"hard_swish", [](double x, const Settings&) { return x * hard_sigmoid(x, 1.0 / 6, 0.5); }},
    UnaryFunction{"leaky_relu", [](double x, const Settings& s) { return x >= 0 ? x : s[0] * x; }},
    UnaryFunction{"log", [](double x, const Settings&) { return std::log(x); }},
    UnaryFunction{"mish", [](double x, const Settings&) { return x * std::tanh(softplus(x)); }},
    UnaryFunction{"negative", [](double x, const Settings&) { return -x; }},
    UnaryFunction{"reciprocal", [](double x, const Settings&) { return 1 / x; }},
    UnaryFunction{"round", [](double x, const Settings&) { return std::nearbyint(x); }},
    UnaryFunction{"selu", [](double x, const Settings& s) { return s[1] * elu(x, s[0]); }},
    UnaryFunction{"sigmoid", [](double x, const Settings&) { return sigmoid(x); }},
    UnaryFunction{"softplus", [](double x, const Settings&) { return softplus(x); }},
    UnaryFunction{"softsign", [](double x, const Settings&) { return x / (1 + std::abs(x)); }},
    UnaryFunction{"sqrt", [](double x, const Settings&) { return std::sqrt(x); }},
    UnaryFunction{"tanh", [](double x, const Settings&) { return std::tanh(x); }},
    UnaryFunction{"thresholded_relu", [](double x, const Settings& s) { return x > s[0] ? x : 0; }},
};

}  // namespace

TensorType unary_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  return inputs[0];
}

Tensor evaluate_unary(const Node& call, const std::vector<const Tensor*>& inputs) {
  const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const UnaryFunction& row) { return row.op == call.op->name; });
  internal_check(function != kFunctions.end(), call.op->name + " has a row of its own in unary.cpp");
  Settings settings{};
  for (std::size_t i = 0; i < call.op->attributes.size(); ++i) {
    settings.at(i) = float_attribute(call, call.op->attributes[i].name, 0);
  }
  Tensor result(inputs[0]->type());
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    result.set(i, function->apply(inputs[0]->at(i), settings));
  }
  return result;
}

bool is_unary(const Node& node) {
  return is_call(node, "nn.relu") || is_call(node, "clip") ||
         (node.kind == NodeKind::kCall && node.op->evaluate == evaluate_unary);
}

bool is_elementwise(const Node& node) { return is_unary(node) || is_call(node, "add") || is_call(node, "nn.prelu"); }

}  // namespace fovea
