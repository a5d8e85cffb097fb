// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interval arithmetic of indices.
#include "interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "index_arithmetic.h"
#include "nest.h"

namespace fovea {
namespace {

int64_t kept_in(int64_t x) { return std::clamp(x, kAnyIndex.low, kAnyIndex.high); }

Interval product(const Interval& a, const Interval& b) {
  int64_t low = kAnyIndex.high, high = kAnyIndex.low;
  for (const int64_t x : {a.low, a.high}) {
    for (const int64_t y : {b.low, b.high}) {
      int64_t xy = 0;
      if (__builtin_mul_overflow(x, y, &xy)) {
        return kAnyIndex;
      }
      low = std::min(low, kept_in(xy));
      high = std::max(high, kept_in(xy));
    }
  }
  return {low, high};
}

/// Toward zero, by a positive number.
Interval quotient(const Interval& a, const Interval& b) {
  if (b.low <= 0 || a.low == kAnyIndex.low || a.high == kAnyIndex.high) {
    return kAnyIndex;
  }
  return {std::min(a.low / b.low, a.low / b.high), std::max(a.high / b.low, a.high / b.high)};
}

/// With the sign of `a`.
Interval remainder(const Interval& a, const Interval& b) {
  if (b.low <= 0) {
    return kAnyIndex;
  }
  return {a.low >= 0 ? 0 : std::max(a.low, 1 - b.high), a.high <= 0 ? 0 : std::min(a.high, b.high - 1)};
}

Interval of_function(ScalarFunction function, const Interval& a, const Interval& b) {
  switch (function) {
    case ScalarFunction::kAdd:
      return {kept_in(a.low + b.low), kept_in(a.high + b.high)};
    case ScalarFunction::kSubtract:
      return {kept_in(a.low - b.high), kept_in(a.high - b.low)};
    case ScalarFunction::kMultiply:
      return product(a, b);
    case ScalarFunction::kDivide:
      return quotient(a, b);
    case ScalarFunction::kRemainder:
      return remainder(a, b);
    case ScalarFunction::kMinimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ScalarFunction::kMaximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ScalarFunction::kSelect:  // Of its two values.
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    default:
      return kAnyIndex;
  }
}

/// Between which a real number is kept by constants, which are the first arguments of kMinimum and kMaximum.
std::pair<double, double> bounds_of(const Expression& x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_least = x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kMinimum;
  const bool is_most = x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kMaximum;
  if ((!is_least && !is_most) || x->arguments[0]->kind != ExpressionKind::kNumber) {
    return {-kInfinity, kInfinity};
  }
  const double number = x->arguments[0]->real;
  const auto [low, high] = bounds_of(x->arguments[1]);
  return is_least ? std::pair{std::min(low, number), std::min(high, number)}
                  : std::pair{std::max(low, number), std::max(high, number)};
}

/// Of what becomes an integer.
Interval of_converted(const Expression& x, const Ranges& ranges) {
  if (x->type != ScalarType::kFloat32 && x->type != ScalarType::kFloat64) {
    return interval_of(x, ranges);
  }
  const auto [low, high] = bounds_of(x);
  const bool is_bounded = low >= INT32_MIN && high <= INT32_MAX;
  return is_bounded ? Interval{static_cast<int64_t>(std::floor(low)), static_cast<int64_t>(std::ceil(high))}
                    : kAnyIndex;
}

/// By what it is made of.
Interval of_parts(const Expression& x, const Ranges& ranges) {
  if (x->kind == ExpressionKind::kNumber) {
    return {kept_in(x->integer), kept_in(x->integer)};
  }
  if (x->kind == ExpressionKind::kVariable || x->kind == ExpressionKind::kElement) {
    const auto& known = x->kind == ExpressionKind::kVariable ? ranges.variables : ranges.elements;
    const auto found = known.find(x->id);
    if (found == known.end() || !x->outside) {
      return found == known.end() ? kAnyIndex : found->second;
    }
    const Interval outside = interval_of(x->outside, ranges);
    return {std::min(found->second.low, outside.low), std::max(found->second.high, outside.high)};
  }
  if (x->kind != ExpressionKind::kApply) {
    return kAnyIndex;
  }
  if (x->function == ScalarFunction::kIndex || x->function == ScalarFunction::kInt64) {
    return of_converted(x->arguments[0], ranges);
  }
  if (x->arguments.size() < 2) {
    return kAnyIndex;
  }
  const std::size_t last = x->arguments.size() - 1;
  const Interval a = interval_of(x->arguments[last - 1], ranges), b = interval_of(x->arguments[last], ranges);
  const bool may_wrap = x->type == ScalarType::kInt64 && !(a.is_within(kInt32Range) && b.is_within(kInt32Range));
  return may_wrap ? kAnyIndex : of_function(x->function, a, b);
}

/// The largest that x can be up to a bound: of a product, a multiple of its number.
int64_t multiple_up_to(int64_t bound, const Expression& x) {
  const bool is_product = x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kMultiply;
  const int64_t factor = is_product ? number_in(x->arguments[1]).value_or(1) : 1;
  return bound < 0 || factor < 1 ? bound : bound / factor * factor;
}

}  // namespace

Ranges ranges_of(const std::vector<NestBuffer>& buffers) {
  Ranges ranges;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (const auto range = range_of(buffers[i].type)) {
      ranges.elements[static_cast<int>(i)] = *range;
    }
  }
  return ranges;
}

void Ranges::assume(const Expression& condition) {
  if (condition->kind != ExpressionKind::kApply) {
    return;
  }
  if (condition->function == ScalarFunction::kAnd) {
    assume(condition->arguments[0]);
    assume(condition->arguments[1]);
  } else if (condition->function == ScalarFunction::kLess || condition->function == ScalarFunction::kLessEqual) {
    const Expression &a = condition->arguments[0], &b = condition->arguments[1];
    const int64_t apart = condition->function == ScalarFunction::kLess ? 1 : 0;
    if (const auto number = number_in(b)) {
      bounds.push_back({a, {kAnyIndex.low, multiple_up_to(*number - apart, a)}});
    } else if (const auto least = number_in(a)) {
      bounds.push_back({b, {*least + apart, kAnyIndex.high}});
    }
  }
}

Interval interval_of(const Expression& x, const Ranges& ranges) {
  Interval interval = of_parts(x, ranges);
  for (const auto& [formula, bound] : ranges.bounds) {
    if (is_equal(formula, x)) {
      interval = {std::max(interval.low, bound.low), std::min(interval.high, bound.high)};
    }
  }
  return interval;
}

}  // namespace fovea
