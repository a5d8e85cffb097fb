// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folds numbers, compares and rebuilds expressions.
#include "index_arithmetic.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fovea {
namespace {

bool is_number(const Expression& x, int64_t number) { return number_in(x) == number; }

/// An application, folded where it is of indices.
Expression folded(ScalarFunction function, const Expression& a, const Expression& b) {
  const auto number = number_in(b);
  switch (function) {
    case ScalarFunction::kAdd:
      return sum(a, b);
    case ScalarFunction::kSubtract:
      return difference(a, b);
    case ScalarFunction::kMultiply:
      return number ? product(a, *number) : number_in(a) ? product(b, *number_in(a)) : a * b;
    case ScalarFunction::kDivide:
      return number && *number > 0 ? quotient(a, *number) : a / b;
    case ScalarFunction::kRemainder:
      return number && *number > 0 ? remainder(a, *number) : a % b;
    case ScalarFunction::kMinimum:
      return number && number_in(a) ? index_number(std::min(*number, *number_in(a))) : minimum(a, b);
    case ScalarFunction::kMaximum:
      return number && number_in(a) ? index_number(std::max(*number, *number_in(a))) : maximum(a, b);
    default:
      return apply(function, {a, b});
  }
}

}  // namespace

Expression index_number(int64_t number) { return integer_number(number, ScalarType::kIndex); }

std::optional<int64_t> number_in(const Expression& x) {
  return x->kind == ExpressionKind::kNumber && x->type == ScalarType::kIndex ? std::optional(x->integer) : std::nullopt;
}

Expression sum(const Expression& a, const Expression& b) {
  if (is_number(a, 0) || is_number(b, 0)) {
    return is_number(a, 0) ? b : a;
  }
  return number_in(a) && number_in(b) ? index_number(*number_in(a) + *number_in(b)) : a + b;
}

Expression difference(const Expression& a, const Expression& b) {
  if (is_number(b, 0)) {
    return a;
  }
  return number_in(a) && number_in(b) ? index_number(*number_in(a) - *number_in(b)) : a - b;
}

Expression product(const Expression& a, int64_t b) {
  if (b == 0 || b == 1) {
    return b == 0 ? index_number(0) : a;
  }
  return number_in(a) ? index_number(*number_in(a) * b) : a * index_number(b);
}

Expression quotient(const Expression& a, int64_t b) {
  if (b == 1) {
    return a;
  }
  return number_in(a) ? index_number(*number_in(a) / b) : a / index_number(b);
}

Expression remainder(const Expression& a, int64_t b) {
  if (b == 1) {
    return index_number(0);
  }
  return number_in(a) ? index_number(*number_in(a) % b) : a % index_number(b);
}

bool is_equal(const Expression& a, const Expression& b) {
  if (a.is_same(b) || !a || !b) {
    return a.is_same(b);
  }
  if (a->kind != b->kind || a->type != b->type || a->arguments.size() != b->arguments.size()) {
    return false;
  }
  if (a->kind == ExpressionKind::kNumber) {
    return a->integer == b->integer && a->real == b->real;
  }
  const bool is_same_name = a->kind == ExpressionKind::kApply ? a->function == b->function : a->id == b->id;
  return a->kind != ExpressionKind::kReduce && is_same_name && is_equal(a->outside, b->outside) &&
         std::equal(a->arguments.begin(), a->arguments.end(), b->arguments.begin(), is_equal);
}

Expression with_variables(const Expression& x, const Replacements& replacements) {
  if (!x || x->kind == ExpressionKind::kNumber) {
    return x;
  }
  if (x->kind == ExpressionKind::kVariable) {
    const auto found = replacements.find(x->id);
    return found == replacements.end() ? x : found->second;
  }
  std::vector<Expression> arguments;
  bool is_changed = false;
  for (const Expression& each : x->arguments) {
    arguments.push_back(with_variables(each, replacements));
    is_changed |= !arguments.back().is_same(each);
  }
  const Expression outside = with_variables(x->outside, replacements);
  if (!is_changed && outside.is_same(x->outside)) {
    return x;
  }
  if (x->kind == ExpressionKind::kElement) {
    return element(x->id, std::move(arguments), x->type, outside);
  }
  if (x->type == ScalarType::kIndex && arguments.size() == 2) {
    return folded(x->function, arguments[0], arguments[1]);
  }
  ExpressionNode node = *x;
  node.arguments = std::move(arguments);
  return Expression(std::move(node));
}

}  // namespace fovea
