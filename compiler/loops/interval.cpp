// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interval arithmetic of indices.
#include "interval.h"

#include <algorithm>

#include "index_arithmetic.h"

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
  if (b.low <= 0) {
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

/// By what it is made of.
Interval of_parts(const Expression& x, const Ranges& ranges) {
  if (x->kind == ExpressionKind::kNumber) {
    return {kept_in(x->integer), kept_in(x->integer)};
  }
  if (x->kind == ExpressionKind::kVariable) {
    const auto found = ranges.variables.find(x->id);
    return found == ranges.variables.end() ? kAnyIndex : found->second;
  }
  if (x->kind != ExpressionKind::kApply || x->arguments.size() < 2) {
    return kAnyIndex;
  }
  const std::size_t last = x->arguments.size() - 1;
  return of_function(x->function, interval_of(x->arguments[last - 1], ranges), interval_of(x->arguments[last], ranges));
}

}  // namespace

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
      bounds.push_back({a, {kAnyIndex.low, *number - apart}});
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
