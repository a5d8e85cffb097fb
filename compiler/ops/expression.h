// SPDX-License-Identifier: Apache-2.0
/// \file
/// Expressions: what one element of an operator's result is, by the elements of its inputs. Definitions of operators
/// are made of them, and so are the loops that they become.
///
/// An expression is a value that is never changed; copies share it. In a definition its type is kFloat64 (real numbers,
/// rounded to float32 where the result is stored and nowhere before), kInt64, kIndex or kBool; kFloat32 comes with
/// loops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace fovea {

/// What an expression is worth. kIndex counts along an axis: it never overflows, and has no fraction or sign to lose.
enum class ScalarType { kBool, kIndex, kInt64, kFloat32, kFloat64 };

/// What is applied to expressions. Integers wrap at 64 bits; they divide toward zero.
enum class ScalarFunction {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMinimum,  ///< The first where the two are equal or no numbers; likewise kMaximum.
  kMaximum,
  kPower,  ///< Of reals.
  kLess,
  kLessEqual,
  kEqual,
  kAnd,
  kOr,
  kNot,
  kSelect,   ///< (condition, value where it holds, value elsewhere)
  kFloat32,  ///< Rounds to float32. In loops, the conversion.
  kFloat64,
  kInt64,  ///< Of reals, toward zero.
  kIndex,
  kAddFloat32,  ///< Of a reduction in a definition: each sum is rounded to float32. In loops, kAdd of float32.
#define FOVEA_FUNCTION(enumerator, text, value) enumerator,
#include "functions.def"
#undef FOVEA_FUNCTION
};

/// As text has it: "+" of kAdd, "exp" of kExp, "f32" of kFloat32.
std::string_view to_text(ScalarFunction function);

/// Inverse of to_text(); nothing where there is no such function.
std::optional<ScalarFunction> parse_function(std::string_view text);

/// A function's value in double. \pre It is a row of functions.def.
double apply_function(ScalarFunction function, double x);

/// Whether it is a row of functions.def: of one real number.
bool is_real_function(ScalarFunction function);

enum class ExpressionKind { kNumber, kVariable, kElement, kApply, kReduce };

struct ExpressionNode;

/// An axis that a reduction runs over, or a loop: variable `id` goes from 0 to `size` - 1.
struct Axis {
  int id = 0;
  int64_t size = 1;
};

class Expression {
 public:
  Expression() = default;     ///< None.
  Expression(double number);  // NOLINT(google-explicit-constructor): formulas have numbers in them.
  explicit Expression(ExpressionNode node);

  const ExpressionNode& operator*() const { return *node_; }
  const ExpressionNode* operator->() const { return node_.get(); }
  explicit operator bool() const { return node_ != nullptr; }
  /// Whether both are the same value in memory.
  bool is_same(const Expression& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const ExpressionNode> node_;
};

struct ExpressionNode {
  ExpressionKind kind = ExpressionKind::kNumber;
  ScalarType type = ScalarType::kFloat64;
  double real = 0;      ///< Of a number that is float32 or float64.
  int64_t integer = 0;  ///< Of another number.
  int id = 0;           ///< Of a variable; which buffer an element is of.
  ScalarFunction function = ScalarFunction::kAdd;
  /// An element's indices, outermost first; what a function is applied to; what a reduction's first elements are.
  std::vector<Expression> arguments;
  /// Of an element, its value where an index is outside of the buffer; none where that can't be.
  Expression outside;
  std::vector<Axis> axes;  ///< Of a reduction, the outermost first; `function` takes two elements to one.
};

/// A number of that type.
Expression number_of(double number, ScalarType type);
Expression integer_number(int64_t number, ScalarType type = ScalarType::kInt64);
/// The variable of an axis.
Expression variable(int id);
/// An element of buffer `id`. \param type  Of the value: kFloat64 or kFloat32 of float32, else kInt64 or kBool.
Expression element(int id, std::vector<Expression> indices, ScalarType type, const Expression& outside = {});
/// Applies a function; a number takes the type of what it stands beside. InternalError where types differ.
Expression apply(ScalarFunction function, std::vector<Expression> arguments);
/// function(function(first, body at 0), body at 1) ..., over all axes, the outermost first.
Expression reduce(ScalarFunction function, std::vector<Axis> axes, const Expression& first, const Expression& body);

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator-(const Expression& a);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);
Expression operator%(const Expression& a, const Expression& b);
Expression operator<(const Expression& a, const Expression& b);
Expression operator<=(const Expression& a, const Expression& b);
Expression operator>(const Expression& a, const Expression& b);
Expression operator>=(const Expression& a, const Expression& b);
Expression operator==(const Expression& a, const Expression& b);
Expression operator!=(const Expression& a, const Expression& b);
Expression logical_and(const Expression& a, const Expression& b);
Expression logical_or(const Expression& a, const Expression& b);
Expression logical_not(const Expression& a);
Expression minimum(const Expression& a, const Expression& b);
Expression maximum(const Expression& a, const Expression& b);
/// x, but not below `least` nor above `most`; not a number becomes `least`.
Expression clamped(const Expression& x, const Expression& least, const Expression& most);
Expression power(const Expression& x, const Expression& exponent);
Expression select(const Expression& condition, const Expression& a, const Expression& b);
Expression float32(const Expression& x);
Expression real(const Expression& x);
Expression integer(const Expression& x);
Expression index(const Expression& x);

#define FOVEA_FUNCTION(enumerator, text, value) \
  inline Expression text(const Expression& x) { return apply(ScalarFunction::enumerator, {x}); }
#include "functions.def"
#undef FOVEA_FUNCTION

}  // namespace fovea
