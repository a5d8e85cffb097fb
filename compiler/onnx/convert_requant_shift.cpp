// SPDX-License-Identifier: Apache-2.0
/// \file
/// RequantShift, as which Quantlab (github.com/pulp-platform/quantlib, algorithms/pact/pact_ops.py, domain PACTOps)
/// exports the end of an integer layer, and which Deeploy (github.com/pulp-platform/Deeploy,
/// TargetLibraries/Generic/src/RequantShift_s32.c) runs:
///
///     y = clip((x * mul + add + div / 2) >> log2(div))
///
/// in whole numbers, to n_levels from 0 on, or where signed half of them below 0. Both round to nearest, ties up.
#include <cmath>

#include "converters.h"

namespace fovea {
namespace {

/// More than a product of 24 and 32 bits: with it a number is positive, so that division rounds down.
constexpr int64_t kRaise = int64_t{1} << 56;

/// Whole numbers, one or one a channel, in a shape that is broadcast to the value's.
NodeId whole_numbers(ImportContext& context, const OnnxNode& node, int place, const Shape& x, int64_t more) {
  const Tensor given = context.constant_input(node, place);
  const Shape& shape = given.type().shape;
  const bool is_flat = shape.size() == 1 && shape[0] != 1 && x.size() > 2;
  Shape spread(is_flat ? x.size() - 1 : shape.size(), 1);
  std::ranges::copy(shape, spread.begin());
  Tensor numbers({spread, ElementType::kInt64});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(shape)); ++i) {
    const double number = given.at(i);
    node.check(number == std::floor(number) && std::abs(number) <= INT32_MAX,
               "input " + std::to_string(place + 1) + " of " + node.op() + " must be whole numbers of 32 bits");
    numbers.set_integer(i, static_cast<int64_t>(number) + more);
  }
  return context.builder.constant(std::move(numbers), node.name());
}

int64_t read_whole(OnnxNode& node, const std::string& name) {
  const double number = node.read_number(name);
  node.check(number == std::floor(number) && std::abs(number) <= INT32_MAX,
             "attribute " + name + " of " + node.op() + " must be a whole number of 32 bits");
  return static_cast<int64_t>(number);
}

NodeId cast(ImportContext& context, const OnnxNode& node, NodeId x, const char* element) {
  return context.call(node, "cast", {x}, {{"dtype", std::string(element)}});
}

}  // namespace

NodeId convert_requant_shift(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  node.check(context.type(x).element == ElementType::kFloat32, "its input must be whole numbers in float32");
  const int64_t div = read_whole(node, "div");
  const int64_t levels = read_whole(node, node.has_attribute("n_levels") ? "n_levels" : "n_levels_out");
  const int64_t below_zero = read_whole(node, "signed") != 0 ? levels / 2 : 0;
  node.check(div > 0 && (div & (div - 1)) == 0, "div=" + std::to_string(div) + " is not supported; powers of 2 are");
  node.check(levels >= 2 && levels <= 65536 && levels % 2 == 0,
             "n_levels=" + std::to_string(levels) + " is not supported; even numbers from 2 to 65536 are");
  const NodeId mul = whole_numbers(context, node, 1, shape, 0);
  const NodeId add = whole_numbers(context, node, 2, shape, div / 2 + kRaise);
  const auto number = [&](int64_t value) {
    return context.builder.constant(Tensor::of<int64_t>({}, {value}), node.name());
  };
  const NodeId product = context.call(node, "multiply", {cast(context, node, x, "int64"), mul});
  const NodeId raised = context.call(node, "divide", {context.call(node, "add", {product, add}), number(div)});
  const NodeId steps = context.call(node, "subtract", {raised, number(kRaise / div)});
  const auto least = static_cast<double>(-below_zero), most = static_cast<double>(levels - below_zero - 1);
  return cast(context, node, context.call(node, "clip", {steps}, {{"min", least}, {"max", most}}), "float32");
}

}  // namespace fovea
