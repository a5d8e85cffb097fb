// SPDX-License-Identifier: Apache-2.0
/// \file
/// Definitions: what an operator computes, said once. Its value on constants and its loops come from it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "call.h"
#include "expression.h"
#include "tensor/tensor.h"

namespace fovea {

/// A tensor that a definition computes: variable i is the index along axis i of it.
struct Stage {
  Shape shape;
  Expression value;
};

/// What a call computes, for the shapes and constants of its inputs. Elements of buffer i are those of input i, and
/// behind the inputs of stage i - inputs. A stage is of real numbers, or integers; only the last, which is the result,
/// is rounded, to the result's element type. Others have the result's axes, some of size 1: they are computed where
/// they are needed, once for each place that they have.
struct Definition {
  std::vector<TensorType> inputs;
  std::vector<Stage> stages;
};

/// The type of the value of an element of a tensor in a definition: kFloat64, kInt64 or kBool.
ScalarType value_type(ElementType element);

/// The variables of a tensor's axes, outermost first.
std::vector<Expression> variables_of(const Shape& shape);

/// Builds a definition: hands out variables for reductions, and elements.
class DefinitionBuilder {
 public:
  /// \param inputs, result  Types of the call's.
  DefinitionBuilder(std::vector<TensorType> inputs, Shape result);

  /// A variable of its own, for a reduction.
  Axis axis(int64_t size) { return {next_axis_++, size}; }
  /// The variable of the result's axis i.
  Expression place(std::size_t i) const { return variable(static_cast<int>(i)); }
  /// Those of all its axes.
  std::vector<Expression> places() const { return variables_of(result_); }

  /// An element of input `i`, or where an index is outside of it `outside`.
  Expression at(std::size_t i, std::vector<Expression> indices, const Expression& outside = {}) const;
  /// The element of input `i` that broadcasting, as numpy does it, puts at the result's place.
  Expression broadcast(std::size_t i) const;

  /// A stage of the result's shape but for `reduced` axes, which have size 1; gives its element at the result's place.
  Expression stage(const std::vector<std::size_t>& reduced, const Expression& value);
  Definition result(const Expression& value);

 private:
  Definition definition_;
  Shape result_;
  int next_axis_;
};

/// A call's definition; nothing where its operator has none. \param inputs  Types of its inputs.
std::optional<Definition> definition_of(const Call& call, const std::vector<TensorType>& inputs);

/// What evaluate_definition() does: numbers, elements and functions, once for each place at which they are computed.
double count_steps(const Definition& definition);

/// `outer` with its input i computed by `inner`, element by element where one is needed, and rounded to float32 as if
/// it had been stored. The inputs of `inner` stand where input i stood. \pre Input i is float32; `inner` is one stage,
/// or `outer` is and reads input i at its own places, of the same shape.
Definition composed(const Definition& outer, std::size_t i, const Definition& inner);

/// A definition's value: in double or in integers modulo 2^64, rounded once to `result`. UserError, naming the call,
/// where an integer is divided by 0.
Tensor evaluate_definition(const Call& call, const Definition& definition, const TensorType& result,
                           const std::vector<const Tensor*>& inputs);

}  // namespace fovea
