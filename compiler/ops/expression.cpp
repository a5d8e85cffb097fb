// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds expressions, and says which types fit which functions.
#include "expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "tensor/error.h"

namespace fovea {
namespace {

struct FunctionRow {
  std::string_view text;
  double (*value)(double x);
};

constexpr std::array kRows{
    FunctionRow{"+", nullptr},     FunctionRow{"-", nullptr},    FunctionRow{"*", nullptr},
    FunctionRow{"/", nullptr},     FunctionRow{"%", nullptr},    FunctionRow{"min", nullptr},
    FunctionRow{"max", nullptr},   FunctionRow{"pow", nullptr},  FunctionRow{"<", nullptr},
    FunctionRow{"<=", nullptr},    FunctionRow{"==", nullptr},   FunctionRow{"and", nullptr},
    FunctionRow{"or", nullptr},    FunctionRow{"not", nullptr},  FunctionRow{"select", nullptr},
    FunctionRow{"f32", nullptr},   FunctionRow{"f64", nullptr},  FunctionRow{"i64", nullptr},
    FunctionRow{"index", nullptr}, FunctionRow{"+f32", nullptr},
#define FOVEA_FUNCTION(enumerator, text, value) FunctionRow{#text, [](double x) -> double { return value; }},
#include "functions.def"
#undef FOVEA_FUNCTION
};

const FunctionRow& row_of(ScalarFunction function) { return kRows[static_cast<std::size_t>(function)]; }

bool is_real(ScalarType type) { return type == ScalarType::kFloat64 || type == ScalarType::kFloat32; }

/// A number in another type, where it can be one.
Expression retyped(const Expression& x, ScalarType type) {
  if (x->kind != ExpressionKind::kNumber || x->type == type) {
    return x;
  }
  if (is_real(type)) {
    return number_of(is_real(x->type) ? x->real : static_cast<double>(x->integer), type);
  }
  const bool is_whole = !is_real(x->type) || x->real == std::floor(x->real);
  return is_whole ? integer_number(is_real(x->type) ? static_cast<int64_t>(x->real) : x->integer, type) : x;
}

/// Gives numbers among arguments that must be of one type that of the others.
void agree(std::vector<Expression>& arguments, std::size_t first) {
  const auto other = std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end(),
                                  [](const Expression& x) { return x->kind != ExpressionKind::kNumber; });
  const ScalarType type = other == arguments.end() ? arguments[first]->type : (*other)->type;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    arguments[i] = retyped(arguments[i], type);
    internal_check(arguments[i]->type == type, "what a function is applied to has one type");
  }
}

/// The type of a function's value, its arguments agreed.
ScalarType result_type(ScalarFunction function, const std::vector<Expression>& arguments) {
  switch (function) {
    case ScalarFunction::kLess:
    case ScalarFunction::kLessEqual:
    case ScalarFunction::kEqual:
    case ScalarFunction::kAnd:
    case ScalarFunction::kOr:
    case ScalarFunction::kNot:
      return ScalarType::kBool;
    case ScalarFunction::kFloat32:  // Where numbers are real, a rounding.
      return arguments[0]->type == ScalarType::kFloat64 ? ScalarType::kFloat64 : ScalarType::kFloat32;
    case ScalarFunction::kFloat64:
      return ScalarType::kFloat64;
    case ScalarFunction::kInt64:
      return ScalarType::kInt64;
    case ScalarFunction::kIndex:
      return ScalarType::kIndex;
    default:
      return arguments.back()->type;
  }
}

}  // namespace

std::string_view to_text(ScalarFunction function) { return row_of(function).text; }

std::optional<ScalarFunction> parse_function(std::string_view text) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const FunctionRow& row) { return row.text == text; });
  return found == kRows.end() ? std::nullopt : std::optional(static_cast<ScalarFunction>(found - kRows.begin()));
}

double apply_function(ScalarFunction function, double x) {
  internal_check(is_real_function(function), "a real function is a row of functions.def");
  return row_of(function).value(x);
}

bool is_real_function(ScalarFunction function) { return row_of(function).value != nullptr; }

Expression::Expression(double number) : Expression(*number_of(number, ScalarType::kFloat64)) {}

Expression::Expression(ExpressionNode node) : node_(std::make_shared<const ExpressionNode>(std::move(node))) {}

Expression number_of(double number, ScalarType type) {
  ExpressionNode node;
  node.type = type;
  node.real = type == ScalarType::kFloat32 ? static_cast<double>(static_cast<float>(number)) : number;
  return Expression(std::move(node));
}

Expression integer_number(int64_t number, ScalarType type) {
  ExpressionNode node;
  node.type = type;
  node.integer = number;
  return Expression(std::move(node));
}

Expression variable(int id) {
  ExpressionNode node;
  node.kind = ExpressionKind::kVariable;
  node.type = ScalarType::kIndex;
  node.id = id;
  return Expression(std::move(node));
}

Expression element(int id, std::vector<Expression> indices, ScalarType type, const Expression& outside) {
  ExpressionNode node;
  node.kind = ExpressionKind::kElement;
  node.type = type;
  node.id = id;
  for (Expression& each : indices) {
    each = retyped(each, ScalarType::kIndex);
    internal_check(each->type == ScalarType::kIndex, "an element's place is given by indices");
  }
  node.arguments = std::move(indices);
  if (outside) {
    node.outside = retyped(outside, type);
    internal_check(node.outside->type == type, "what stands for elements outside has their type");
  }
  return Expression(std::move(node));
}

Expression apply(ScalarFunction function, std::vector<Expression> arguments) {
  const bool is_logical =
      function == ScalarFunction::kAnd || function == ScalarFunction::kOr || function == ScalarFunction::kNot;
  agree(arguments, function == ScalarFunction::kSelect ? 1 : 0);
  internal_check(!(is_logical || function == ScalarFunction::kSelect) || arguments[0]->type == ScalarType::kBool,
                 std::string(to_text(function)) + " takes what holds or does not");
  internal_check(!(is_real_function(function) || function == ScalarFunction::kPower) || is_real(arguments[0]->type),
                 std::string(to_text(function)) + " takes a real number");
  ExpressionNode node;
  node.kind = ExpressionKind::kApply;
  node.type = result_type(function, arguments);
  node.function = function;
  node.arguments = std::move(arguments);
  return Expression(std::move(node));
}

Expression reduce(ScalarFunction function, std::vector<Axis> axes, const Expression& first, const Expression& body) {
  ExpressionNode node;
  node.kind = ExpressionKind::kReduce;
  node.type = body->type;
  node.function = function;
  node.axes = std::move(axes);
  node.arguments = {retyped(first, body->type), body};
  internal_check(node.arguments[0]->type == body->type, "a reduction begins with what it goes on with");
  return Expression(std::move(node));
}

Expression operator+(const Expression& a, const Expression& b) { return apply(ScalarFunction::kAdd, {a, b}); }
Expression operator-(const Expression& a, const Expression& b) { return apply(ScalarFunction::kSubtract, {a, b}); }
Expression operator-(const Expression& a) { return number_of(-0.0, ScalarType::kFloat64) - a; }
Expression operator*(const Expression& a, const Expression& b) { return apply(ScalarFunction::kMultiply, {a, b}); }
Expression operator/(const Expression& a, const Expression& b) { return apply(ScalarFunction::kDivide, {a, b}); }
Expression operator%(const Expression& a, const Expression& b) { return apply(ScalarFunction::kRemainder, {a, b}); }
Expression operator<(const Expression& a, const Expression& b) { return apply(ScalarFunction::kLess, {a, b}); }
Expression operator<=(const Expression& a, const Expression& b) { return apply(ScalarFunction::kLessEqual, {a, b}); }
Expression operator>(const Expression& a, const Expression& b) { return b < a; }
Expression operator>=(const Expression& a, const Expression& b) { return b <= a; }
Expression operator==(const Expression& a, const Expression& b) { return apply(ScalarFunction::kEqual, {a, b}); }
Expression operator!=(const Expression& a, const Expression& b) { return logical_not(a == b); }
Expression logical_and(const Expression& a, const Expression& b) { return apply(ScalarFunction::kAnd, {a, b}); }
Expression logical_or(const Expression& a, const Expression& b) { return apply(ScalarFunction::kOr, {a, b}); }
Expression logical_not(const Expression& a) { return apply(ScalarFunction::kNot, {a}); }
Expression minimum(const Expression& a, const Expression& b) { return apply(ScalarFunction::kMinimum, {a, b}); }
Expression maximum(const Expression& a, const Expression& b) { return apply(ScalarFunction::kMaximum, {a, b}); }
Expression clamped(const Expression& x, const Expression& least, const Expression& most) {
  return minimum(most, maximum(least, x));
}
Expression power(const Expression& x, const Expression& exponent) {
  return apply(ScalarFunction::kPower, {x, exponent});
}
Expression select(const Expression& condition, const Expression& a, const Expression& b) {
  return apply(ScalarFunction::kSelect, {condition, a, b});
}
Expression float32(const Expression& x) { return apply(ScalarFunction::kFloat32, {x}); }
Expression real(const Expression& x) {
  return x->type == ScalarType::kFloat64 ? x : apply(ScalarFunction::kFloat64, {x});
}
Expression integer(const Expression& x) {
  return x->type == ScalarType::kInt64 ? x : apply(ScalarFunction::kInt64, {x});
}
Expression index(const Expression& x) { return x->type == ScalarType::kIndex ? x : apply(ScalarFunction::kIndex, {x}); }

}  // namespace fovea
