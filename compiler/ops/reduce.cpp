// SPDX-License-Identifier: Apache-2.0
/// \file
/// sum, prod, min, max: of what lies along some axes; these become 1, or with keepdims=0 none. cumsum: of what lies
/// before each element.
#include <algorithm>
#include <limits>

#include "channels.h"
#include "operator.h"
#include "ops.h"

namespace fovea {
namespace {

bool is_reduced(const Call& call, std::size_t axis) {
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  return std::count(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != 0;
}

Definition define_reduction(const Call& call, const std::vector<TensorType>& inputs, ScalarFunction function,
                            const Expression& first) {
  const Shape& shape = inputs[0].shape;
  DefinitionBuilder builder(inputs, reduce_type(call, inputs).shape);
  const bool keeps_axes = int_attribute(call, "keepdims", 1) != 0;
  std::vector<Expression> indices;
  std::vector<Axis> axes;
  std::size_t place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (is_reduced(call, i)) {
      axes.push_back(builder.axis(shape[i]));
      indices.push_back(variable(axes.back().id));
      place += keeps_axes ? 1 : 0;
    } else {
      indices.push_back(builder.place(place++));
    }
  }
  return builder.result(reduce(function, axes, first, builder.at(0, indices)));
}

/// Beyond all numbers of an element type.
Expression end_of(ElementType element, bool is_high) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto [least, most] = element == ElementType::kFloat32 ? std::pair<int64_t, int64_t>{0, 0} : range_of(element);
  return element == ElementType::kFloat32 ? Expression(is_high ? infinity : -infinity)
                                          : integer_number(is_high ? most : least);
}

}  // namespace

TensorType reduce_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& shape = inputs[0].shape;
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  const auto rank = static_cast<int64_t>(shape.size());
  check_call(!axes.empty() && std::all_of(axes.begin(), axes.end(), [&](int64_t a) { return a >= 0 && a < rank; }),
             call, "axes " + to_text(axes) + " must be some of the shape " + to_text(shape));
  check_call(inputs[0].element != ElementType::kBool, call, "reduces numbers, not bool");
  TensorType type{{}, inputs[0].element};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!is_reduced(call, i)) {
      type.shape.push_back(shape[i]);
      continue;
    }
    check_call(shape[i] > 0, call, "there is nothing along axis " + std::to_string(i));
    if (int_attribute(call, "keepdims", 1) != 0) {
      type.shape.push_back(1);
    }
  }
  return type;
}

Definition define_sum(const Call& call, const std::vector<TensorType>& inputs) {
  return define_reduction(call, inputs, ScalarFunction::kAdd, 0);
}

Definition define_prod(const Call& call, const std::vector<TensorType>& inputs) {
  return define_reduction(call, inputs, ScalarFunction::kMultiply, 1);
}

Definition define_min(const Call& call, const std::vector<TensorType>& inputs) {
  return define_reduction(call, inputs, ScalarFunction::kMinimum, end_of(inputs[0].element, true));
}

Definition define_max(const Call& call, const std::vector<TensorType>& inputs) {
  return define_reduction(call, inputs, ScalarFunction::kMaximum, end_of(inputs[0].element, false));
}

TensorType cumsum_type(const Call& call, const std::vector<TensorType>& inputs) {
  read_axis(call, inputs[0].shape);
  return check_numbers(call, inputs[0]);
}

/// The sum of the elements up to each along an axis, without its own with exclusive=1, and from the end with reverse=1.
/// Each sum of float32 is rounded, as in ONNX Runtime.
Definition define_cumsum(const Call& call, const std::vector<TensorType>& inputs) {
  const std::size_t axis = read_axis(call, inputs[0].shape);
  const int64_t size = inputs[0].shape[axis];
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Axis k = builder.axis(size);
  std::vector<Expression> places = builder.places();
  const auto steps = [&](const Expression& place) {
    return int_attribute(call, "reverse", 0) != 0 ? static_cast<double>(size - 1) - place : place;
  };
  const Expression end = steps(places[axis]) + (int_attribute(call, "exclusive", 0) != 0 ? 0.0 : 1.0);
  places[axis] = steps(variable(k.id));
  const ScalarFunction function =
      inputs[0].element == ElementType::kFloat32 ? ScalarFunction::kAddFloat32 : ScalarFunction::kAdd;
  return builder.result(reduce(function, {k}, 0, select(variable(k.id) < end, builder.at(0, places), 0)));
}

}  // namespace fovea
