// SPDX-License-Identifier: Apache-2.0
/// \file
/// rank, topk: elements in order along an axis; of equal ones the first comes first, as in ONNX Runtime.
#include <algorithm>

#include "channels.h"
#include "ops.h"

namespace fovea {
namespace {

/// The result's places, with another index along an axis.
std::vector<Expression> places_along(const DefinitionBuilder& builder, std::size_t axis, const Expression& index) {
  std::vector<Expression> places = builder.places();
  places[axis] = index;
  return places;
}

}  // namespace

TensorType rank_type(const Call& call, const std::vector<TensorType>& inputs) {
  read_axis(call, inputs[0].shape);
  return {check_numbers(call, inputs[0]).shape, ElementType::kInt64};
}

/// How many elements come before each: larger ones (with largest=0 smaller ones), and equal ones that are earlier.
Definition define_rank(const Call& call, const std::vector<TensorType>& inputs) {
  const std::size_t axis = read_axis(call, inputs[0].shape);
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Axis k = builder.axis(inputs[0].shape[axis]);
  const Expression other = builder.at(0, places_along(builder, axis, variable(k.id)));
  const Expression own = builder.at(0, builder.places());
  const Expression is_beyond = int_attribute(call, "largest", 1) != 0 ? own < other : other < own;
  const Expression is_before = logical_or(is_beyond, logical_and(own == other, variable(k.id) < builder.place(axis)));
  const Expression none = integer_number(0);
  return builder.result(reduce(ScalarFunction::kAdd, {k}, none, select(is_before, integer_number(1), none)));
}

TensorType topk_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  const std::size_t axis = read_axis(call, type.shape);
  const int64_t k = int_attribute(call, "k", 0);
  check_call(type.element == ElementType::kInt64, call, "ranks are int64");
  check_call(k >= 0 && k <= type.shape[axis], call,
             "k=" + std::to_string(k) + " of " + std::to_string(type.shape[axis]) + " elements along axis " +
                 std::to_string(axis) + "; 0 to all of them work");
  type.shape[axis] = k;
  return type;
}

/// Where the elements of rank 0, 1, ... are.
Definition define_topk(const Call& call, const std::vector<TensorType>& inputs) {
  const std::size_t axis = read_axis(call, inputs[0].shape);
  DefinitionBuilder builder(inputs, topk_type(call, inputs).shape);
  const Axis k = builder.axis(inputs[0].shape[axis]);
  const Expression rank = builder.at(0, places_along(builder, axis, variable(k.id)));
  const Expression none = integer_number(0);
  return builder.result(reduce(ScalarFunction::kMaximum, {k}, none,
                               select(rank == integer(builder.place(axis)), integer(variable(k.id)), none)));
}

}  // namespace fovea
