// SPDX-License-Identifier: Apache-2.0
/// \file
/// argmax, argmin: where the largest or smallest element along an axis is; of equal ones the first, or with select_last
/// the last.
#include "argmax.h"

#include "channels.h"
#include "ops.h"

namespace fovea {

TensorType argmax_type(const Call& call, const std::vector<TensorType>& inputs) {
  const TensorType& x = inputs[0];
  const std::size_t axis = read_axis(call, x.shape);
  check_call(x.element != ElementType::kBool, call, "compares numbers, not bool");
  check_call(x.shape[axis] > 0, call, "there is no largest or smallest of no elements");
  TensorType result{x.shape, ElementType::kInt64};
  result.shape[axis] = 1;
  if (int_attribute(call, "keepdims", 1) == 0) {
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return result;
}

namespace {

/// \param extreme  kMaximum or kMinimum.   \param y  Shape of the result, with or without the axis.
Definition define_arg(const TensorType& type, std::size_t axis, bool selects_last, const Shape& y,
                      ScalarFunction extreme) {
  DefinitionBuilder builder({type}, y);
  const Axis k = builder.axis(type.shape[axis]);
  const auto at = [&](const Expression& index) {
    std::vector<Expression> indices = builder.places();
    if (indices.size() == type.shape.size()) {
      indices[axis] = index;
    } else {
      indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), index);
    }
    return builder.at(0, indices);
  };
  const Expression x = at(variable(k.id));
  const Expression most = builder.stage({}, reduce(extreme, {k}, at(0), x));
  const Expression none = integer_number(selects_last ? 0 : k.size - 1);
  return builder.result(reduce(selects_last ? ScalarFunction::kMaximum : ScalarFunction::kMinimum, {k}, none,
                               select(x == most, integer(variable(k.id)), none)));
}

Definition define_arg(const Call& call, const std::vector<TensorType>& inputs, ScalarFunction extreme) {
  return define_arg(inputs[0], read_axis(call, inputs[0].shape), int_attribute(call, "select_last", 0) != 0,
                    argmax_type(call, inputs).shape, extreme);
}

}  // namespace

Definition argmax_definition(const TensorType& x, std::size_t axis, bool selects_last, const Shape& y) {
  return define_arg(x, axis, selects_last, y, ScalarFunction::kMaximum);
}

Definition define_argmax(const Call& call, const std::vector<TensorType>& inputs) {
  return define_arg(call, inputs, ScalarFunction::kMaximum);
}

Definition define_argmin(const Call& call, const std::vector<TensorType>& inputs) {
  return define_arg(call, inputs, ScalarFunction::kMinimum);
}

}  // namespace fovea
