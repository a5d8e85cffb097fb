// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers that belong to one axis of a tensor: biases, scales, batch norm's parameters.
#pragma once

#include "call.h"
#include "operator.h"
#include "tensor/tensor.h"

namespace fovea {

/// A call's axis attribute as a place in the shape; -1 is the last. UserError where the shape has no such axis.
inline std::size_t read_axis(const Call& call, const Shape& shape) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t axis = int_attribute(call, "axis", 0);
  check_call(axis >= -rank && axis < rank, call,
             "axis " + std::to_string(axis) + " is outside the shape " + to_text(shape));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

/// Elements of a dense tensor at one index of all dimensions before `axis`: the product of the sizes from there on.
inline int64_t elements_from(const Shape& shape, std::size_t axis) {
  return count_elements({shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()});
}

/// How many such blocks there are.
inline int64_t elements_before(const Shape& shape, std::size_t axis) {
  return count_elements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
}

/// Index along `axis` of the element at place `index` of a dense tensor.
inline std::size_t channel_of(const Shape& shape, std::size_t axis, std::size_t index) {
  const auto inner = static_cast<std::size_t>(elements_from(shape, axis + 1));
  return index / inner % static_cast<std::size_t>(shape[axis]);
}

}  // namespace fovea
