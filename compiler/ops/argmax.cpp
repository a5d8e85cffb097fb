// SPDX-License-Identifier: Apache-2.0
/// \file
/// argmax, argmin: where the largest or smallest element along an axis is; of equal ones the first, or with select_last
/// the last.
#include "channels.h"
#include "definition.h"
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

/// \param extreme  kMaximum or kMinimum.
Definition define_arg(const Call& call, const std::vector<TensorType>& inputs, ScalarFunction extreme) {
  const Shape& shape = inputs[0].shape;
  const std::size_t axis = read_axis(call, shape);
  DefinitionBuilder builder(inputs, argmax_type(call, inputs).shape);
  const Axis k = builder.axis(shape[axis]);
  const auto at = [&](const Expression& index) {
    std::vector<Expression> indices = builder.places();
    if (indices.size() == shape.size()) {
      indices[axis] = index;
    } else {
      indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), index);
    }
    return builder.at(0, indices);
  };
  const Expression x = at(variable(k.id));
  const Expression most = builder.stage({}, reduce(extreme, {k}, at(0), x));
  const bool selects_last = int_attribute(call, "select_last", 0) != 0;
  const Expression none = integer_number(selects_last ? 0 : k.size - 1);
  return builder.result(reduce(selects_last ? ScalarFunction::kMaximum : ScalarFunction::kMinimum, {k}, none,
                               select(x == most, integer(variable(k.id)), none)));
}

}  // namespace

Definition define_argmax(const Call& call, const std::vector<TensorType>& inputs) {
  return define_arg(call, inputs, ScalarFunction::kMaximum);
}

Definition define_argmin(const Call& call, const std::vector<TensorType>& inputs) {
  return define_arg(call, inputs, ScalarFunction::kMinimum);
}

}  // namespace fovea
