// SPDX-License-Identifier: Apache-2.0
/// \file
/// strided_slice, pad, take: places chosen along axes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "channels.h"
#include "index_map.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

/// An attribute of `count` numbers.
std::vector<int64_t> read_numbers(const Call& call, const std::string& name, std::size_t count) {
  std::vector<int64_t> numbers = ints_attribute(call, name, {});
  check_call(numbers.size() == count, call, name + " must be " + std::to_string(count) + " numbers");
  return numbers;
}

/// Whether elements of that type can be `value`, which a double of that size says exactly.
bool is_element(double value, ElementType element) {
  if (element == ElementType::kFloat32) {
    return true;
  }
  constexpr double kExact = int64_t{1} << 53;
  const auto [least, most] = range_of(element);
  return std::trunc(value) == value && std::abs(value) < kExact && value >= static_cast<double>(least) &&
         value <= static_cast<double>(most);
}

}  // namespace

TensorType strided_slice_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const auto begin = read_numbers(call, "begin", x.size()), strides = read_numbers(call, "strides", x.size());
  const Shape sizes = read_numbers(call, "sizes", x.size());
  constexpr int64_t kMost = int64_t{1} << 31;
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    const auto is_inside = [&](int64_t place) { return place >= 0 && place < x[axis]; };
    const int64_t size = std::clamp(sizes[axis], -kMost, kMost), stride = std::clamp(strides[axis], -kMost, kMost);
    check_call(size == 0 || (size > 0 && is_inside(begin[axis]) && is_inside(begin[axis] + (size - 1) * stride)), call,
               "the slice leaves " + to_text(x) + " along axis " + std::to_string(axis));
  }
  return {sizes, inputs[0].element};
}

bool move_strided_slice(const Call& call, const std::vector<const Tensor*>&, IndexMap& map) {
  const auto begin = ints_attribute(call, "begin", {}), sizes = ints_attribute(call, "sizes", {});
  const auto strides = ints_attribute(call, "strides", {});
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    if (!map.select(axis, IndexSteps({sizes[axis], begin[axis], strides[axis]}))) {
      return false;
    }
  }
  return true;
}

TensorType pad_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  const std::size_t rank = type.shape.size();
  const std::vector<int64_t> pads = read_numbers(call, "pads", 2 * rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto is_pad = [](int64_t pad) { return pad >= 0 && pad <= std::numeric_limits<int32_t>::max(); };
    check_call(is_pad(pads[axis]) && is_pad(pads[axis + rank]), call, "pads must be 0 to 2^31 - 1");
    type.shape[axis] += pads[axis] + pads[axis + rank];
  }
  check_call(is_element(float_attribute(call, "value", 0), type.element), call,
             "value must be a whole number that an element can be, below 2^53 either way");
  return type;
}

bool move_pad(const Call& call, const std::vector<const Tensor*>&, IndexMap& map) {
  const std::vector<int64_t> pads = ints_attribute(call, "pads", {});
  for (std::size_t axis = 0; axis < pads.size() / 2; ++axis) {
    IndexSteps places({pads[axis], kOutside, 0});
    places.append({map.size(axis), 0, 1});
    places.append({pads[axis + pads.size() / 2], kOutside, 0});
    if (!map.select(axis, places)) {
      return false;
    }
  }
  return map.fill_with(float_attribute(call, "value", 0));
}

TensorType take_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const ElementType element = inputs[1].element;
  check_call((element == ElementType::kInt64 || element == ElementType::kInt32) && inputs[1].shape.size() <= 1, call,
             "indices must be int64 or int32, a row or one, not " + type_text(inputs[1]));
  const std::size_t axis = read_axis(call, x);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), inputs[1].shape.begin(), inputs[1].shape.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return {shape, inputs[0].element};
}

bool move_take(const Call& call, const std::vector<const Tensor*>& inputs, IndexMap& map) {
  const Shape x = map.shape();
  const std::size_t axis = read_axis(call, x);
  IndexSteps places;
  for (int64_t i = 0; i < count_elements(inputs[1]->type().shape); ++i) {
    const int64_t given = inputs[1]->integer_at(i), index = given < 0 ? given + x[axis] : given;
    check_call(index >= 0 && index < x[axis], call, "index " + std::to_string(given) + " is outside " + to_text(x));
    places.append({1, index, 0});
  }
  Shape shape = x;
  shape.erase(shape.begin() + axis);
  if (!map.select(axis, places)) {
    return false;
  }
  return !inputs[1]->type().shape.empty() || map.reshape(shape);  // One index leaves no axis.
}

}  // namespace fovea
