// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interval arithmetic over the operators that a network in integers is made of.
#include "number_range.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>

#include "ir/quantization.h"
#include "ops/operator.h"

namespace fovea {
namespace {

using NumberRanges = std::vector<NumberRange>;

/// Of a call, by the ranges of its inputs.
using RangeFunction = NumberRange (*)(const Node& call, const NumberRanges& inputs);

bool is_whole(double x) { return x == std::floor(x) && std::isfinite(x); }

NumberRange hull(const NumberRange& a, const NumberRange& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most), a.is_whole && b.is_whole};
}

NumberRange clamp(const NumberRange& x, double least, double most) {
  const bool is_whole_everywhere =
      x.is_whole && (x.least >= least || is_whole(least)) && (x.most <= most || is_whole(most));
  return {std::clamp(x.least, least, most), std::clamp(x.most, least, most), is_whole_everywhere};
}

/// The numbers that a function, monotonous in each operand, makes of the ends of two ranges.
template <typename Function>
NumberRange combine(const NumberRange& a, const NumberRange& b, bool keeps_whole, Function function) {
  NumberRange y{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                keeps_whole && a.is_whole && b.is_whole};
  for (const double left : {a.least, a.most}) {
    for (const double right : {b.least, b.most}) {
      const double value = function(left, right);
      if (std::isnan(value)) {
        return {};
      }
      y.least = std::min(y.least, value);
      y.most = std::max(y.most, value);
    }
  }
  return y;
}

template <double (*round)(double)>
NumberRange rounded(const Node&, const NumberRanges& inputs) {
  return {round(inputs[0].least), round(inputs[0].most), true};
}

NumberRange same(const Node&, const NumberRanges& inputs) { return inputs[0]; }

NumberRange joined(const Node&, const NumberRanges& inputs) {
  NumberRange y = inputs[0];
  for (const NumberRange& x : inputs) {
    y = hull(y, x);
  }
  return y;
}

NumberRange padded(const Node& call, const NumberRanges& inputs) {
  const double value = float_attribute(call, "value", 0);
  return hull(inputs[0], {value, value, is_whole(value)});
}

NumberRange product(const Node&, const NumberRanges& inputs) {
  NumberRange y;
  y.is_whole = inputs[0].is_whole && inputs[1].is_whole;
  return y;
}

NumberRange clipped(const Node& call, const NumberRanges& inputs) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return clamp(inputs[0], float_attribute(call, "min", -kLargest), float_attribute(call, "max", kLargest));
}

NumberRange positive(const Node&, const NumberRanges& inputs) {
  return clamp(inputs[0], 0, std::numeric_limits<double>::infinity());
}

NumberRange sum(const Node&, const NumberRanges& inputs) {
  return combine(inputs[0], inputs[1], true, [](double a, double b) { return a + b; });
}

NumberRange difference(const Node&, const NumberRanges& inputs) {
  return combine(inputs[0], inputs[1], true, [](double a, double b) { return a - b; });
}

NumberRange multiple(const Node&, const NumberRanges& inputs) {
  return combine(inputs[0], inputs[1], true, [](double a, double b) { return a * b; });
}

NumberRange quotient(const Node&, const NumberRanges& inputs) {
  const bool has_zero = inputs[1].least <= 0 && inputs[1].most >= 0;
  return has_zero ? NumberRange() : combine(inputs[0], inputs[1], false, [](double a, double b) { return a / b; });
}

NumberRange lesser(const Node&, const NumberRanges& inputs) {
  return combine(inputs[0], inputs[1], true, [](double a, double b) { return std::min(a, b); });
}

NumberRange greater(const Node&, const NumberRanges& inputs) {
  return combine(inputs[0], inputs[1], true, [](double a, double b) { return std::max(a, b); });
}

/// Of a type that has all of the numbers, rounded toward zero where it has whole ones only.
NumberRange cast(const Node& call, const NumberRanges& inputs) {
  const NumberRange& x = inputs[0];
  if (call.type.element == ElementType::kFloat32) {
    return x;
  }
  const auto [least, most] = range_of(call.type.element);
  const bool fits = x.is_within(static_cast<double>(least), static_cast<double>(most));
  return fits ? NumberRange{std::trunc(x.least), std::trunc(x.most), true}
              : NumberRange{static_cast<double>(least), static_cast<double>(most), true};
}

NumberRange of_constant(const Tensor& tensor) {
  return with_element(tensor.type().element, [&](auto zero) {
    const auto values = tensor.values<decltype(zero)>();
    if (values.empty()) {
      return NumberRange();
    }
    const auto [least, most] = std::ranges::minmax(values);
    const bool is_integer = std::is_integral_v<decltype(zero)>;
    return NumberRange{static_cast<double>(least), static_cast<double>(most),
                       is_integer || std::ranges::all_of(values, [](auto x) { return is_whole(x); })};
  });
}

NumberRange quantized(const Quantization& q, const NumberRange& numbers) {
  const auto [least, most] = range_of(q.element);
  const auto integer = [&, least = least, most = most](double number) {
    const double steps = std::nearbyint(number / q.scale()) + static_cast<double>(q.zero_point());
    return std::clamp(steps, static_cast<double>(least), static_cast<double>(most));
  };
  return {integer(numbers.least), integer(numbers.most), true};
}

/// Of one scale; whole where that is 1.
NumberRange dequantized(const Quantization& q, const NumberRange& integers) {
  const auto number = [&](double integer) { return (integer - static_cast<double>(q.zero_point())) * q.scale(); };
  return {number(integers.least), number(integers.most), q.scale() == 1};
}

const std::map<std::string_view, RangeFunction>& functions() {
  static const std::map<std::string_view, RangeFunction> table{
      {"add", sum},
      {"cast", cast},
      {"ceil", rounded<std::ceil>},
      {"clip", clipped},
      {"concatenate", joined},
      {"divide", quotient},
      {"floor", rounded<std::floor>},
      {"matmul", product},
      {"maximum", greater},
      {"minimum", lesser},
      {"multiply", multiple},
      {"nn.bias_add", sum},
      {"nn.conv2d", product},
      {"nn.dense", product},
      {"nn.max_pool2d", same},
      {"nn.relu", positive},
      {"pad", padded},
      {"reshape", same},
      {"round", rounded<std::nearbyint>},
      {"strided_slice", same},
      {"subtract", difference},
      {"take", same},
      {"transpose", same},
  };
  return table;
}

NumberRange range_of_call(const Graph& graph, const Node& call, const NumberRanges& inputs) {
  if (is_call(call, "qnn.quantize") || is_call(call, "qnn.dequantize")) {
    const auto q = has_constant_quantization(graph, call) ? read_quantization(graph, call) : Quantization();
    const bool has_one_scale = !q.scales.empty() && q.is_per_tensor() && q.scale() > 0;
    return !has_one_scale                  ? NumberRange()
           : is_call(call, "qnn.quantize") ? quantized(q, inputs[0])
                                           : dequantized(q, inputs[0]);
  }
  const auto found = call.kind == NodeKind::kCall ? functions().find(call.op->name) : functions().end();
  return found == functions().end() ? NumberRange() : found->second(call, inputs);
}

}  // namespace

std::vector<NumberRange> number_ranges(const Graph& graph) {
  NumberRanges ranges;
  for (const Node& node : graph.nodes()) {
    NumberRanges inputs;
    for (const NodeId input : node.inputs) {
      inputs.push_back(ranges[input]);
    }
    NumberRange range =
        node.kind == NodeKind::kConstant ? of_constant(*node.constant) : range_of_call(graph, node, inputs);
    range.is_whole = range.is_whole || node.type.element != ElementType::kFloat32;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace fovea
