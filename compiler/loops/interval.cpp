// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interval arithmetic of indices.
#include "interval.h"

#include <algorithm>

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

}  // namespace

Interval interval_of(const Expression& x, const Ranges& ranges) {
  if (x->kind == ExpressionKind::kNumber) {
    return {kept_in(x->integer), kept_in(x->integer)};
  }
  if (x->kind == ExpressionKind::kVariable) {
    const auto found = ranges.find(x->id);
    return found == ranges.end() ? kAnyIndex : found->second;
  }
  if (x->kind != ExpressionKind::kApply || x->arguments.size() < 2) {
    return kAnyIndex;
  }
  const std::size_t last = x->arguments.size() - 1;
  return of_function(x->function, interval_of(x->arguments[last - 1], ranges), interval_of(x->arguments[last], ranges));
}

}  // namespace fovea
