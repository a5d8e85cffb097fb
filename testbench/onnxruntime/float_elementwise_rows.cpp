// SPDX-License-Identifier: Apache-2.0
/// \file
/// How random float networks grow by what is computed element by element.
#include <algorithm>
#include <cmath>

#include "random_float_network.h"

namespace fovea {
namespace {

using Net = RandomFloatNetwork;
using Shape = std::vector<int64_t>;

/// Smooth functions: what is nearly the same stays so.
void add_function(Net& net) {
  const DrawnValue x = net.any();
  net.node(draw_name(net, {"Sigmoid", "Tanh", "Elu", "Selu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "Erf",
                           "Gelu", "Mish"}),
           {x.name});
  net.keep(x.shape, false, std::max(1.0, x.size));
}

void add_exact_function(Net& net) {
  const DrawnValue x = net.any();
  net.node(draw_name(net, {"Abs", "Neg", "Relu", "LeakyRelu"}), {x.name});
  net.keep(x.shape, x.is_exact, x.size);
}

/// Functions that have steps.
void add_step(Net& net) {
  const DrawnValue x = net.any_exact();
  net.node(draw_name(net, {"Round", "Floor", "Ceil", "Sign", "ThresholdedRelu"}), {x.name});
  net.keep(x.shape, true, x.size);
}

/// A number of 0.2 to 0.8 that hangs on x.
std::string gate(Net& net, const DrawnValue& x) {
  const std::string tanh = net.node("Tanh", {x.name}).output(0);
  return net.node("Sigmoid", {tanh}).output(0);
}

/// Functions of positive numbers, or of small ones.
void add_of_positive(Net& net) {
  const DrawnValue x = net.any();
  const std::string positive = gate(net, x);
  net.node(draw_name(net, {"Log", "Sqrt", "Exp", "Reciprocal"}), {positive});
  net.keep(x.shape, false, 4);
}

/// Two values of a shape, or one and a constant that is broadcast.
void add_binary(Net& net) {
  const DrawnValue a = net.any();
  DrawnValue b = net.any_of(a.shape);
  if (net.draw(0, 1) == 0) {
    b = {net.floats(a.shape.size() == 4 ? Shape{a.shape[1], 1, 1} : Shape{}, 2), {}, true, 2};
  }
  const std::string op = draw_name(net, {"Add", "Sub", "Mul", "Min", "Max"});
  net.node(op, {a.name, b.name});
  net.keep(a.shape, a.is_exact && b.is_exact, op == "Mul" ? a.size * b.size : a.size + b.size);
}

void add_quotient(Net& net) {
  const DrawnValue a = net.any();
  const std::string divisor = gate(net, net.any_of(a.shape));
  net.node("Div", {a.name, divisor});
  net.keep(a.shape, false, 4 * a.size);
}

void add_of_many(Net& net) {
  const DrawnValue a = net.any(), b = net.any_of(a.shape), c = net.any_of(a.shape);
  net.node(draw_name(net, {"Sum", "Mean", "Min", "Max"}), {a.name, b.name, c.name});
  net.keep(a.shape, false, a.size + b.size + c.size);
}

void add_power(Net& net) {
  const DrawnValue x = net.any();
  const std::string magnitude = net.node("Abs", {x.name}).output(0);
  net.node("Pow", {magnitude, net.floats({}, 2.5F, 0.5F)});
  net.keep(x.shape, false, std::pow(x.size + 1, 2.5));
}

void add_clip(Net& net) {
  const DrawnValue x = net.any();
  const std::string least = net.floats({}, 1), most = net.floats({}, 3, 1);
  net.node("Clip", {x.name, least, most});
  net.keep(x.shape, x.is_exact, 2);
}

void add_prelu(Net& net) {
  const DrawnValue x = net.any_plane();
  net.node("PRelu", {x.name, net.floats({x.shape[1], 1, 1}, 1)});
  net.keep(x.shape, x.is_exact, x.size);
}

/// A comparison or two, and what they choose.
void add_where(Net& net) {
  const DrawnValue a = net.any_exact();
  std::string condition = net.node(draw_name(net, {"Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"}),
                                   {a.name, net.floats({}, 1)})
                              .output(0);
  if (net.draw(0, 1) == 0) {
    const std::string other = net.node("Less", {a.name, net.floats({a.shape.back()}, 2)}).output(0);
    condition = net.node(draw_name(net, {"And", "Or", "Xor"}), {condition, other}).output(0);
  }
  if (net.draw(0, 2) == 0) {
    condition = net.node("Not", {condition}).output(0);
  }
  const DrawnValue b = net.any_of(a.shape);
  net.node("Where", {condition, b.name, net.draw(0, 1) == 0 ? a.name : net.floats({}, 2)});
  net.keep(a.shape, b.is_exact, std::max({a.size, b.size, 2.0}));
}

void add_cast_condition(Net& net) {
  const DrawnValue a = net.any_exact();
  const std::string condition = net.node("Greater", {a.name, net.floats({}, 1)}).output(0);
  set_int(net.node("Cast", {condition}), "to", onnx::TensorProto::FLOAT);
  net.keep(a.shape, true, 1);
}

}  // namespace

std::vector<FloatOperatorRow> float_elementwise_rows() {
  return {
      {"function", add_function},
      {"exact function", add_exact_function},
      {"function with steps", add_step},
      {"function of positive numbers", add_of_positive},
      {"two operands", add_binary},
      {"quotient", add_quotient},
      {"three operands", add_of_many},
      {"power", add_power},
      {"clip", add_clip},
      {"prelu", add_prelu},
      {"where", add_where},
      {"condition as numbers", add_cast_condition},
  };
}

}  // namespace fovea
