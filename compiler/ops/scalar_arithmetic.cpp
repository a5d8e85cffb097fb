// SPDX-License-Identifier: Apache-2.0
/// \file
/// One switch for reals, one for integers.
#include "scalar_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {

int64_t truncated(double x) {
  constexpr double kEnd = 9223372036854775808.0;
  return std::isnan(x) ? 0
         : x >= kEnd   ? std::numeric_limits<int64_t>::max()
         : x < -kEnd   ? std::numeric_limits<int64_t>::min()
                       : static_cast<int64_t>(x);
}

double on_reals(ScalarFunction function, double a, double b) {
  switch (function) {
    case ScalarFunction::kAdd:
      return a + b;
    case ScalarFunction::kAddFloat32:
      return static_cast<float>(a + b);
    case ScalarFunction::kSubtract:
      return a - b;
    case ScalarFunction::kMultiply:
      return a * b;
    case ScalarFunction::kDivide:
      return a / b;
    case ScalarFunction::kMinimum:
      return std::min(a, b);
    case ScalarFunction::kMaximum:
      return std::max(a, b);
    case ScalarFunction::kPower:
      return std::pow(a, b);
    default:
      return std::fmod(a, b);
  }
}

bool compares(ScalarFunction function, double a, double b) {
  return function == ScalarFunction::kLess ? a < b : function == ScalarFunction::kLessEqual ? a <= b : a == b;
}

std::optional<int64_t> on_integers(ScalarFunction function, int64_t a, int64_t b) {
  const auto wrapped = [](uint64_t value) { return static_cast<int64_t>(value); };
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (function) {
    case ScalarFunction::kAdd:
      return wrapped(ua + ub);
    case ScalarFunction::kSubtract:
      return wrapped(ua - ub);
    case ScalarFunction::kMultiply:
      return wrapped(ua * ub);
    case ScalarFunction::kMinimum:
      return std::min(a, b);
    case ScalarFunction::kMaximum:
      return std::max(a, b);
    case ScalarFunction::kLess:
      return a < b ? 1 : 0;
    case ScalarFunction::kLessEqual:
      return a <= b ? 1 : 0;
    case ScalarFunction::kEqual:
      return a == b ? 1 : 0;
    case ScalarFunction::kAnd:
      return a & b;
    case ScalarFunction::kOr:
      return a | b;
    default:
      break;
  }
  if (b == 0) {
    return std::nullopt;
  }
  const bool is_quotient = function == ScalarFunction::kDivide;
  return b == -1 ? (is_quotient ? wrapped(-ua) : 0) : (is_quotient ? a / b : a % b);
}

}  // namespace fovea
