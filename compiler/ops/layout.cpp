// SPDX-License-Identifier: Apache-2.0
/// \file
/// reshape, transpose, concatenate, take: elements moved, none computed.
#include <algorithm>
#include <cstring>

#include "channels.h"
#include "ir/error.h"
#include "ops.h"

namespace fovea {
namespace {

/// Copies element `from` of one tensor to element `to` of another of the same element type.
void copy_element(const Tensor& source, std::size_t from, Tensor& target, std::size_t to) {
  const std::size_t bytes = size_bytes(source.type().element);
  std::memcpy(target.bytes().data() + to * bytes, source.bytes().data() + from * bytes, bytes);
}

/// Elements in one step along `axis`.
std::size_t inner_elements(const Shape& shape, std::size_t axis) {
  return static_cast<std::size_t>(count_elements(Shape(shape.begin() + axis + 1, shape.end())));
}

}  // namespace

TensorType reshape_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape shape = ints_attribute(call, "newshape", {});
  check_call(count_elements(shape) == count_elements(inputs[0].shape), call,
             to_text(inputs[0].shape) + " can't become " + to_text(shape) + ": not as many elements");
  return {shape, inputs[0].element};
}

Tensor evaluate_reshape(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(reshape_type(call, {inputs[0]->type()}));
  std::copy(inputs[0]->bytes().begin(), inputs[0]->bytes().end(), result.bytes().begin());
  return result;
}

TensorType transpose_type(const Node& call, const std::vector<TensorType>& inputs) {
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = axes.size() == inputs[0].shape.size();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    is_permutation &= sorted[i] == static_cast<int64_t>(i);
  }
  check_call(is_permutation, call, "axes " + to_text(axes) + " don't permute the shape " + to_text(inputs[0].shape));
  TensorType type{{}, inputs[0].element};
  for (int64_t axis : axes) {
    type.shape.push_back(inputs[0].shape[axis]);
  }
  return type;
}

Tensor evaluate_transpose(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(transpose_type(call, {inputs[0]->type()}));
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  const Shape& from = inputs[0]->type().shape;
  const Shape& to = result.type().shape;
  std::vector<std::size_t> steps;
  for (const int64_t axis : axes) {
    steps.push_back(inner_elements(from, axis));
  }
  Shape place(to.size());
  std::size_t source = 0;
  for (int64_t i = 0; i < count_elements(to); ++i) {
    copy_element(*inputs[0], source, result, i);
    for (std::size_t axis = to.size(); axis-- > 0;) {
      source += steps[axis];
      if (++place[axis] < to[axis]) {
        break;
      }
      source -= steps[axis] * to[axis];
      place[axis] = 0;
    }
  }
  return result;
}

TensorType concatenate_type(const Node& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  const std::size_t axis = read_axis(call, type.shape);
  type.shape[axis] = 0;
  for (const TensorType& input : inputs) {
    Shape expected = type.shape;
    check_call(input.shape.size() == expected.size() && input.element == type.element, call,
               "all parts of a concatenation must have one rank and one element type");
    expected[axis] = input.shape[axis];
    check_call(input.shape == expected, call, "the parts of a concatenation differ outside its axis");
    type.shape[axis] += input.shape[axis];
  }
  return type;
}

Tensor evaluate_concatenate(const Node& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  Tensor result(concatenate_type(call, types));
  const Shape& shape = result.type().shape;
  const std::size_t axis = read_axis(call, shape), inner = inner_elements(shape, axis);
  std::size_t offset = 0;
  for (const Tensor* input : inputs) {
    const std::size_t run = static_cast<std::size_t>(input->type().shape[axis]) * inner;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(input->type().shape)); ++i) {
      copy_element(*input, i, result, i / run * (shape[axis] * inner) + offset + i % run);
    }
    offset += run;
  }
  return result;
}

TensorType take_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const ElementType element = inputs[1].element;
  check_call(element == ElementType::kInt64 || element == ElementType::kInt32, call, "indices must be int64 or int32");
  const std::size_t axis = read_axis(call, x);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), inputs[1].shape.begin(), inputs[1].shape.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return {shape, inputs[0].element};
}

Tensor evaluate_take(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(take_type(call, {inputs[0]->type(), inputs[1]->type()}));
  const Shape& x = inputs[0]->type().shape;
  const std::size_t axis = read_axis(call, x), inner = inner_elements(x, axis);
  const std::size_t count = static_cast<std::size_t>(count_elements(inputs[1]->type().shape));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(result.type().shape)); ++i) {
    int64_t index = inputs[1]->integer_at(i / inner % count);
    if (index < 0) {
      index += x[axis];
    }
    check_call(index >= 0 && index < x[axis], call, "index " + std::to_string(index) + " is outside " + to_text(x));
    copy_element(*inputs[0], (i / inner / count * x[axis] + index) * inner + i % inner, result, i);
  }
  return result;
}

}  // namespace fovea
