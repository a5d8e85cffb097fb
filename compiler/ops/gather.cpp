// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements at places that are values themselves. gather: along an axis, by indices; gather_elements: an
/// index for each element of the result; scatter_elements: the inverse, elements of x where no other is put; resample:
/// sums of such elements, each times its weight, as interpolations are.
/// An index that is outside of x reads 0.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "channels.h"
#include "definition.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

void check_indices(const Call& call, const TensorType& indices) {
  check_call(indices.element == ElementType::kInt64 || indices.element == ElementType::kInt32, call,
             "indices must be int64 or int32, not " + std::string(to_text(indices.element)));
}

/// Indices of elements along an axis, which have a place along the others too.
void check_indices_within(const Call& call, const Shape& x, const TensorType& indices) {
  check_indices(call, indices);
  const std::size_t axis = read_axis(call, x);
  bool is_within = indices.shape.size() == x.size();
  for (std::size_t i = 0; is_within && i < x.size(); ++i) {
    is_within = i == axis || indices.shape[i] <= x[i];
  }
  check_call(is_within, call,
             "indices " + to_text(indices.shape) + " must be no larger than x " + to_text(x) + " but along the axis");
}

/// What takes an element and an update of it to one.
const std::map<std::string, ScalarFunction> kScatterFunctions = {{"add", ScalarFunction::kAdd},
                                                                 {"mul", ScalarFunction::kMultiply},
                                                                 {"min", ScalarFunction::kMinimum},
                                                                 {"max", ScalarFunction::kMaximum}};

/// The axes of a resample, the outermost first.
std::vector<std::size_t> resampled_axes(const Call& call, const Shape& x) {
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  check_call(!axes.empty() && axes.front() >= 0 && axes.back() < static_cast<int64_t>(x.size()) &&
                 std::ranges::is_sorted(axes, std::less_equal()),
             call, "axes " + to_text(axes) + " must be some of the shape " + to_text(x) + ", in order");
  return {axes.begin(), axes.end()};
}

/// An integer as an index of an axis, or -1 or `size` where it is beyond.
Expression index_within(const Expression& integer, int64_t size) {
  return index(clamped(integer, -1, static_cast<double>(size)));
}

/// The place along an axis of `size` that an index means: below 0 it counts from the end.
Expression place_of(const Expression& index, int64_t size) {
  return index_within(select(index < 0, index + static_cast<double>(size), index), size);
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

Definition define_gather(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  const std::size_t axis = read_axis(call, x);
  DefinitionBuilder builder(inputs, gather_type(call, inputs).shape);
  std::vector<Expression> places = builder.places();
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto last = first + static_cast<std::ptrdiff_t>(indices.size());
  const Expression place = place_of(builder.at(1, {first, last}), x[axis]);
  places.insert(places.erase(first, last), place);
  return builder.result(builder.at(0, places, 0));
}

TensorType gather_elements_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_indices_within(call, inputs[0].shape, inputs[1]);
  return {inputs[1].shape, inputs[0].element};
}

Definition define_gather_elements(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const std::size_t axis = read_axis(call, x);
  DefinitionBuilder builder(inputs, gather_elements_type(call, inputs).shape);
  std::vector<Expression> places = builder.places();
  places[axis] = place_of(builder.at(1, places), x[axis]);
  return builder.result(builder.at(0, places, 0));
}

TensorType scatter_elements_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType x = check_numbers(call, inputs[0]);
  const TensorType expected{inputs[1].shape, x.element};
  check_indices_within(call, x.shape, inputs[1]);
  check_call(inputs[2] == expected, call, "updates must be " + type_text(expected) + ", not " + type_text(inputs[2]));
  const std::string reduction = text_attribute(call, "reduction", "none");
  check_call(reduction == "none" || kScatterFunctions.count(reduction) != 0, call,
             "reduction=" + reduction + " is not supported; none, add, mul, min and max are");
  return x;
}

/// Of the updates of an element the last counts, or with another reduction all in order, behind the element itself.
Definition define_scatter_elements(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  const std::size_t axis = read_axis(call, x);
  const std::string reduction = text_attribute(call, "reduction", "none");
  DefinitionBuilder builder(inputs, x);
  const Axis k = builder.axis(indices[axis]);
  std::vector<Expression> places = builder.places();
  const auto put = [&](const Expression& place) {
    places[axis] = place;
    return places;
  };
  const Expression own = builder.at(0, places), none = integer_number(-1);
  const Expression number = builder.at(1, put(variable(k.id)), integer_number(std::numeric_limits<int32_t>::min()));
  const Expression is_here = place_of(number, x[axis]) == builder.place(axis);
  if (reduction == "none") {
    const Expression last = reduce(ScalarFunction::kMaximum, {k}, none, select(is_here, integer(variable(k.id)), none));
    const Expression update = builder.at(2, put(index_within(last, indices[axis])), 0);
    return builder.result(select(last < 0, own, update));
  }
  const bool is_rounded = reduction == "add" && inputs[0].element == ElementType::kFloat32;
  const ScalarFunction function = is_rounded ? ScalarFunction::kAddFloat32 : kScatterFunctions.at(reduction);
  const Expression other = reduction == "add" ? 0 : reduction == "mul" ? 1 : own;
  const Expression update = builder.at(2, put(variable(k.id)), 0);
  return builder.result(reduce(function, {k}, own, select(is_here, update, other)));
}

TensorType resample_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  check_call(type.element == ElementType::kFloat32 && inputs[2].element == ElementType::kFloat32, call,
             "x and weights must be float32");
  check_indices(call, inputs[1]);
  const std::vector<std::size_t> axes = resampled_axes(call, type.shape);
  const std::vector<int64_t> sizes = ints_attribute(call, "sizes", {});
  const int64_t taps = int_attribute(call, "taps", 1);
  check_call(sizes.size() == axes.size() && std::ranges::all_of(sizes, [](int64_t size) { return size > 0; }), call,
             "sizes " + to_text(sizes) + " must be one for each of the axes");
  const Shape all{taps * std::accumulate(sizes.begin(), sizes.end(), int64_t{0})};
  check_call(taps > 0 && inputs[1].shape == all && inputs[2].shape == all, call,
             "places and weights must be " + to_text(all) + ", " + std::to_string(taps) + " for each index; here " +
                 to_text(inputs[1].shape) + " and " + to_text(inputs[2].shape));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    type.shape[axes[i]] = sizes[i];
  }
  return type;
}

/// Along two axes, y[i, j] is the sum over k, and in it over l, of weight[l, j] * weight[k, i] * x[place[k, i],
/// place[l, j]]; likewise along one axis, or three. Products and sums are rounded to float32, in ONNX Runtime's order.
/// Places and weights of the axes lie one behind another, each [taps, size].
Definition define_resample(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const std::vector<std::size_t> axes = resampled_axes(call, x);
  const std::vector<int64_t> sizes = ints_attribute(call, "sizes", {});
  const int64_t count = int_attribute(call, "taps", 1);
  DefinitionBuilder builder(inputs, resample_type(call, inputs).shape);
  std::vector<Expression> places = builder.places();
  std::vector<Axis> taps;
  std::vector<Expression> weights;
  int64_t start = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    taps.push_back(builder.axis(count));
    const Expression tap =
        variable(taps[i].id) * static_cast<double>(sizes[i]) + builder.place(axes[i]) + static_cast<double>(start);
    places[axes[i]] = index_within(integer(builder.at(1, {tap})), x[axes[i]]);
    weights.push_back(builder.at(2, {tap}));
    start += count * sizes[i];
  }
  Expression weight = weights.back();
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    weight = float32(weight * weights[i - 1]);
  }
  return builder.result(reduce(ScalarFunction::kAddFloat32, taps, 0, float32(builder.at(0, places, 0) * weight)));
}

}  // namespace fovea
