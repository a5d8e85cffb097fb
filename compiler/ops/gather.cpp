// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements at places that are values themselves. gather: along an axis, by indices; resample: sums of such elements,
/// each with its weight, which is what interpolations are. An index that is outside of x reads 0.
#include "channels.h"
#include "definition.h"
#include "ops.h"

namespace fovea {
namespace {

void check_indices(const Call& call, const TensorType& indices) {
  check_call(indices.element == ElementType::kInt64 || indices.element == ElementType::kInt32, call,
             "indices must be int64 or int32, not " + std::string(to_text(indices.element)));
}

/// An integer as an index of an axis, or -1 or `size` where it is beyond.
Expression index_within(const Expression& integer, int64_t size) {
  return index(clamped(integer, -1, static_cast<double>(size)));
}

}  // namespace

TensorType gather_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  check_indices(call, inputs[1]);
  const auto axis = static_cast<std::ptrdiff_t>(read_axis(call, x));
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return {shape, inputs[0].element};
}

/// Indices below 0 count from the end.
Definition define_gather(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  const std::size_t axis = read_axis(call, x);
  DefinitionBuilder builder(inputs, gather_type(call, inputs).shape);
  std::vector<Expression> places = builder.places();
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto last = first + static_cast<std::ptrdiff_t>(indices.size());
  const Expression given = builder.at(1, {first, last});
  const Expression place = index_within(select(given < 0, given + static_cast<double>(x[axis]), given), x[axis]);
  places.insert(places.erase(first, last), place);
  return builder.result(builder.at(0, places, 0));
}

TensorType resample_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  check_call(type.element == ElementType::kFloat32 && inputs[2].element == ElementType::kFloat32, call,
             "x and weights must be float32");
  check_indices(call, inputs[1]);
  check_call(inputs[1].shape.size() == 2 && inputs[1].shape == inputs[2].shape, call,
             "places and weights must be [taps, size], both; here " + to_text(inputs[1].shape) + " and " +
                 to_text(inputs[2].shape));
  type.shape[read_axis(call, type.shape)] = inputs[1].shape[1];
  return type;
}

/// y[i] along the axis is the sum over k of weights[k, i] * x[places[k, i]].
Definition define_resample(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const std::size_t axis = read_axis(call, x);
  DefinitionBuilder builder(inputs, resample_type(call, inputs).shape);
  const Axis k = builder.axis(inputs[1].shape[0]);
  std::vector<Expression> places = builder.places();
  const std::vector<Expression> tap{variable(k.id), places[axis]};
  places[axis] = index_within(integer(builder.at(1, tap)), x[axis]);
  return builder.result(reduce(ScalarFunction::kAdd, {k}, 0, builder.at(0, places, 0) * builder.at(2, tap)));
}

}  // namespace fovea
