// SPDX-License-Identifier: Apache-2.0
/// \file
/// argmax: where the largest element along an axis is; of equal ones the first, or with select_last the last.
#include "channels.h"
#include "ops.h"

namespace fovea {

TensorType argmax_type(const Node& call, const std::vector<TensorType>& inputs) {
  const TensorType& x = inputs[0];
  const std::size_t axis = read_axis(call, x.shape);
  check_call(x.shape[axis] > 0, call, "there is no largest of no elements");
  TensorType result{x.shape, ElementType::kInt64};
  result.shape[axis] = 1;
  if (int_attribute(call, "keepdims", 1) == 0) {
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return result;
}

Tensor evaluate_argmax(const Node& call, const std::vector<const Tensor*>& inputs) {
  const Tensor& x = *inputs[0];
  Tensor result(argmax_type(call, {x.type()}));
  const Shape& shape = x.type().shape;
  const std::size_t axis = read_axis(call, shape);
  const int64_t size = shape[axis];
  const int64_t step = elements_from(shape, axis + 1);
  const bool selects_last = int_attribute(call, "select_last", 0) != 0;
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    const int64_t first = i / step * size * step + i % step;
    int64_t best = 0;
    for (int64_t k = 1; k < size; ++k) {
      const double element = x.at(first + k * step), most = x.at(first + best * step);
      best = element > most || (selects_last && element == most) ? k : best;
    }
    result.set_integer(i, best);
  }
  return result;
}

}  // namespace fovea
