// SPDX-License-Identifier: Apache-2.0
/// \file
/// add, subtract, multiply, divide, minimum, maximum: two operands, broadcast as numpy does it.
#include <algorithm>
#include <functional>

#include "broadcast.h"
#include "ir/operator.h"
#include "ops.h"

namespace fovea {

Shape broadcast(const Node& call, const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  const auto dimension = [&](const Shape& shape, std::size_t i) {
    const std::size_t missing = result.size() - shape.size();
    return i < missing ? int64_t{1} : shape[i - missing];
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int64_t left = dimension(a, i), right = dimension(b, i);
    check_call(left == right || left == 1 || right == 1, call,
               "shapes " + to_text(a) + " and " + to_text(b) + " can't be broadcast");
    result[i] = left == 1 ? right : left;
  }
  return result;
}

std::size_t broadcast_source(const Shape& from, const Shape& to, std::size_t index) {
  std::size_t place = 0, step = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int64_t size = from[from.size() - 1 - i];
    const std::size_t whole = static_cast<std::size_t>(to[to.size() - 1 - i]);
    if (size != 1) {
      place += index % whole * step;
    }
    index /= whole;
    step *= static_cast<std::size_t>(size);
  }
  return place;
}

namespace {

/// Computes each element in double, rounded to float32, or as integers modulo 2^64.
template <typename OnReals, typename OnIntegers>
Tensor combine(const Node& call, const std::vector<const Tensor*>& inputs, OnReals on_reals, OnIntegers on_integers) {
  const Tensor &a = *inputs[0], &b = *inputs[1];
  Tensor result(binary_type(call, {a.type(), b.type()}));
  const Shape& shape = result.type().shape;
  for (int64_t i = 0; i < count_elements(shape); ++i) {
    const std::size_t left = broadcast_source(a.type().shape, shape, i),
                      right = broadcast_source(b.type().shape, shape, i);
    if (result.type().element == ElementType::kFloat32) {
      result.set(i, on_reals(a.at(left), b.at(right)));
    } else {
      result.set_integer(i, on_integers(a.integer_at(left), b.integer_at(right)));
    }
  }
  return result;
}

int64_t as_signed(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

TensorType binary_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == inputs[1].element, call, "both operands must have one element type");
  return {broadcast(call, inputs[0].shape, inputs[1].shape), inputs[0].element};
}

Tensor evaluate_add(const Node& call, const std::vector<const Tensor*>& inputs) {
  return combine(call, inputs, std::plus<>(), [](uint64_t a, uint64_t b) { return as_signed(a + b); });
}

Tensor evaluate_subtract(const Node& call, const std::vector<const Tensor*>& inputs) {
  return combine(call, inputs, std::minus<>(), [](uint64_t a, uint64_t b) { return as_signed(a - b); });
}

Tensor evaluate_multiply(const Node& call, const std::vector<const Tensor*>& inputs) {
  return combine(call, inputs, std::multiplies<>(), [](uint64_t a, uint64_t b) { return as_signed(a * b); });
}

/// Integers toward zero; UserError where one is divided by 0.
Tensor evaluate_divide(const Node& call, const std::vector<const Tensor*>& inputs) {
  return combine(call, inputs, std::divides<>(), [&](int64_t a, int64_t b) {
    check_call(b != 0, call, "divides an integer by 0");
    return b == -1 ? as_signed(-static_cast<uint64_t>(a)) : a / b;
  });
}

Tensor evaluate_minimum(const Node& call, const std::vector<const Tensor*>& inputs) {
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  return combine(call, inputs, least, least);
}

Tensor evaluate_maximum(const Node& call, const std::vector<const Tensor*>& inputs) {
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  return combine(call, inputs, most, most);
}

}  // namespace fovea
