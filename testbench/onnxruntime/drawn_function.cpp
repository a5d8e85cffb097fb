// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of one number in random networks: LeakyRelu, Sigmoid, HardSwish, ...; each by its formula in long double.
#include <algorithm>
#include <cmath>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

using Real = long double;
using Settings = std::vector<float>;

Real softplus(Real x) { return std::max<Real>(x, 0) + std::log1p(std::exp(-std::abs(x))); }

Real elu(Real x, Real alpha) { return x > 0 ? x : alpha * (std::exp(x) - 1); }

const std::vector<DrawnFunction> kFunctions{
    {"PRelu", {}, 13, true, [](Real x, const Settings& s) { return x < 0 ? s[0] * x : x; }},
    {"LeakyRelu", {"alpha"}, 13, true, [](Real x, const Settings& s) { return x < 0 ? s[0] * x : x; }},
    {"ThresholdedRelu", {"alpha"}, 13, true, [](Real x, const Settings& s) { return x > s[0] ? x : 0; }},
    {"Neg", {}, 13, true, [](Real x, const Settings&) { return -x; }},
    {"Floor", {}, 13, true, [](Real x, const Settings&) { return std::floor(x); }},
    {"Ceil", {}, 13, true, [](Real x, const Settings&) { return std::ceil(x); }},
    {"Round", {}, 13, true, [](Real x, const Settings&) { return std::nearbyint(x); }},
    {"Sqrt", {}, 13, true, [](Real x, const Settings&) { return std::sqrt(x); }},
    {"Reciprocal", {}, 13, true, [](Real x, const Settings&) { return 1 / x; }},
    {"Softsign", {}, 13, false, [](Real x, const Settings&) { return x / (1 + std::abs(x)); }},
    {"HardSigmoid",
     {"alpha", "beta"},
     13,
     false,
     [](Real x, const Settings& s) { return std::clamp<Real>(s[0] * x + s[1], 0, 1); }},
    {"HardSwish", {}, 14, false, [](Real x, const Settings&) { return x * std::clamp<Real>(x / 6 + 0.5L, 0, 1); }},
    {"Sigmoid", {}, 13, false, [](Real x, const Settings&) { return 1 / (1 + std::exp(-x)); }},
    {"Tanh", {}, 13, false, [](Real x, const Settings&) { return std::tanh(x); }},
    {"Elu", {"alpha"}, 13, false, [](Real x, const Settings& s) { return elu(x, s[0]); }},
    {"Selu", {"alpha", "gamma"}, 13, false, [](Real x, const Settings& s) { return s[1] * elu(x, s[0]); }},
    {"Exp", {}, 13, false, [](Real x, const Settings&) { return std::exp(x); }},
    {"Log", {}, 13, false, [](Real x, const Settings&) { return std::log(x); }},
    {"Erf", {}, 13, false, [](Real x, const Settings&) { return std::erf(x); }},
    {"Softplus", {}, 13, false, [](Real x, const Settings&) { return softplus(x); }},
    {"Mish", {}, 18, false, [](Real x, const Settings&) { return x * std::tanh(softplus(x)); }},
    {"Gelu", {}, 20, false, [](Real x, const Settings&) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0L))); }, true},
};

bool is_prelu(const DrawnNode& node) { return node.function == &kFunctions[0]; }

/// The function of element `i`, a float32 number.
float apply(const DrawnNode& node, std::size_t i, float x) {
  if (!is_prelu(node)) {
    return static_cast<float>(node.function->apply(x, node.settings));
  }
  const std::size_t plane = element_count(node.shape) / static_cast<std::size_t>(node.shape[1]);
  return static_cast<float>(node.function->apply(x, {node.settings[i / plane % node.settings.size()]}));
}

std::vector<float> results(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  std::vector<float> numbers = dequantize_bytes(values[node.inputs[0]], network.nodes[node.inputs[0]].quant);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = apply(node, i, numbers[i]);
  }
  return numbers;
}

void draw_settings(NetworkDrawing& drawing, DrawnNode& node) {
  const int64_t slopes = drawing.one_in(4) ? 1 : node.shape[1];
  const auto count = is_prelu(node) ? static_cast<std::size_t>(slopes) : node.function->attributes.size();
  while (node.settings.size() < count) {
    node.settings.push_back(static_cast<float>(drawing.between(1, 1000)) / 512);
  }
}

bool draw(NetworkDrawing& drawing) {
  const auto from = drawing.pick([](ValueId) { return true; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &kFunctionRow;
  node.inputs = {*from};
  node.shape = drawing.shape(*from);
  node.function =
      &kFunctions[static_cast<std::size_t>(drawing.between(0, static_cast<int64_t>(kFunctions.size()) - 1))];
  draw_settings(drawing, node);
  drawing.add(std::move(node));
  return true;
}

/// Infinities and what is no number count as 0, so that no scale is chosen by them.
std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  std::vector<double> numbers;
  for (const float y : results(network, node, values)) {
    numbers.push_back(std::isfinite(y) ? std::clamp(static_cast<double>(y), -1e6, 1e6) : 0);
  }
  return numbers;
}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  Bytes bytes;
  for (const float y : results(network, node, values)) {
    bytes.push_back(std::isnan(y) ? 0 : quantize_outside(y / node.quant.scale, node.quant.zero_point));
  }
  return bytes;
}

/// Where ONNX Runtime's own function is an approximation, no result may be near a tie, but for that of 0, and no step
/// so small that the approximation is off by as much.
bool is_sure(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  constexpr float kSteps = 1e-3F;
  const std::vector<float> numbers = results(network, node, values);
  const std::vector<float> x = dequantize_bytes(values[node.inputs[0]], network.nodes[node.inputs[0]].quant);
  for (std::size_t i = 0; i < numbers.size() && !node.function->is_exact; ++i) {
    const float steps = numbers[i] / node.quant.scale;
    const bool is_near = std::abs(std::abs(steps - std::floor(steps)) - 0.5F) < kSteps && std::abs(steps) < 300;
    const bool is_off = node.function->cancels && std::abs(x[i]) * 0x1p-24F > kSteps * node.quant.scale;
    if (x[i] != 0 && (is_near || is_off)) {
      return false;
    }
  }
  return true;
}

/// Slopes are numbers a channel.
std::string write_prelu(NetworkWriter& writer, const DrawnNode& node, const std::string& x) {
  std::vector<int64_t> shape(node.shape.size() - 1, 1);
  shape[0] = static_cast<int64_t>(node.settings.size());
  writer.node("PRelu", {x, writer.floats(node.name + "_slopes", shape, node.settings)}, node.name + "_f");
  return node.name + "_f";
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  if (is_prelu(node)) {
    return write_prelu(writer, node, inputs[0]);
  }
  onnx::NodeProto& call = writer.node(node.function->name, inputs, node.name + "_f");
  for (std::size_t i = 0; i < node.settings.size(); ++i) {
    set_float(call, node.function->attributes[i], node.settings[i]);
  }
  writer.need_opset(node.function->opset);
  return node.name + "_f";
}

/// As com.microsoft's operator where there is one.
std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all{inputs[0]};
  NetworkWriter::add_quant(all, writer.input_of(node, 0));
  const std::string name = node.function->name;
  if (name == "LeakyRelu" || name == "Sigmoid") {
    NetworkWriter::add_quant(all, node);
    onnx::NodeProto& call = writer.node("QLinear" + name, all, node.name + "_f", true);
    if (name == "LeakyRelu") {
      set_float(call, "alpha", node.settings[0]);
    }
    return node.name + "_f";
  }
  writer.node("DequantizeLinear", all, node.name + "_in");
  std::vector<std::string> quantize{write_float(writer, node, {node.name + "_in"})};
  NetworkWriter::add_quant(quantize, node);
  writer.node("QuantizeLinear", quantize, node.name + "_out");
  return node.name + "_out";
}

}  // namespace

const OperatorRow kFunctionRow{"function", 3, draw, reals, evaluate, write_float, write_uint8, nullptr, is_sure};

const std::vector<DrawnFunction>& drawn_functions() { return kFunctions; }

}  // namespace fovea
