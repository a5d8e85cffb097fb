// SPDX-License-Identifier: Apache-2.0
/// \file
/// matmul: a [..., N, C] by b [..., C, M] -> [..., N, M], float32, batches broadcast; a vector is a row or a column.
#include "matmul.h"

#include <algorithm>

#include "broadcast.h"
#include "definition.h"
#include "operator.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

/// The axes before a matrix's own two.
Shape batches(const Shape& shape) {
  return {shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(shape.size(), 2))};
}

/// What is added up: the last axis of a; the last but one of b, or its only one.
int64_t inner_of_b(const Shape& b) { return b[b.size() < 2 ? 0 : b.size() - 2]; }

}  // namespace

TensorType matmul_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  check_call(inputs[0].element == ElementType::kFloat32 && inputs[1].element == ElementType::kFloat32, call,
             "multiplies matrices of float32, not " + type_text(inputs[0]) + " and " + type_text(inputs[1]));
  check_call(!a.empty() && !b.empty() && a.back() == inner_of_b(b), call,
             "multiplies " + to_text(a) + " by " + to_text(b) + "; [..., N, C] by [..., C, M] works");
  Shape shape = broadcast(call, batches(a), batches(b));
  if (a.size() > 1) {
    shape.push_back(a[a.size() - 2]);
  }
  if (b.size() > 1) {
    shape.push_back(b.back());
  }
  return {shape, ElementType::kFloat32};
}

MatmulTaps matmul_taps(DefinitionBuilder& builder, const Shape& a, const Shape& b) {
  const Axis c = builder.axis(a.back());
  const std::size_t outer = std::max(batches(a).size(), batches(b).size());
  const auto places = [&](const Shape& shape) {
    std::vector<Expression> all;
    const std::size_t own = batches(shape).size();
    for (std::size_t i = 0; i < own; ++i) {
      all.push_back(shape[i] == 1 ? integer_number(0, ScalarType::kIndex) : builder.place(outer - own + i));
    }
    return all;
  };
  MatmulTaps taps{c, places(a), places(b)};
  if (a.size() > 1) {
    taps.a.push_back(builder.place(outer));
  }
  taps.a.push_back(variable(c.id));
  taps.b.push_back(variable(c.id));
  if (b.size() > 1) {
    taps.b.push_back(builder.place(outer + (a.size() > 1 ? 1 : 0)));
  }
  return taps;
}

Definition define_matmul(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, matmul_type(call, inputs).shape);
  const MatmulTaps taps = matmul_taps(builder, inputs[0].shape, inputs[1].shape);
  return builder.result(reduce(ScalarFunction::kAdd, {taps.axis}, 0, builder.at(0, taps.a) * builder.at(1, taps.b)));
}

}  // namespace fovea
