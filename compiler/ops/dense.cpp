// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.dense: x [N, C], w [M, C] -> [N, M], float32.
#include "definition.h"
#include "operator.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {

TensorType dense_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  check_call(inputs[0].element == ElementType::kFloat32 && inputs[1].element == ElementType::kFloat32, call,
             "multiplies float32 (dequantized) tensors, not " + type_text(inputs[0]) + " and " + type_text(inputs[1]));
  check_call(
      x.size() == 2 && w.size() == 2 && x[1] == w[1], call,
      "a fully connected layer multiplies x [N, C] by w [M, C]; here x is " + to_text(x) + " and w is " + to_text(w));
  return {{x[0], w[0]}, ElementType::kFloat32};
}

Definition define_dense(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, dense_type(call, inputs).shape);
  const Axis c = builder.axis(inputs[0].shape[1]);
  const Expression x = builder.at(0, {builder.place(0), variable(c.id)});
  const Expression weight = builder.at(1, {builder.place(1), variable(c.id)});
  return builder.result(reduce(ScalarFunction::kAdd, {c}, 0, x * weight));
}

}  // namespace fovea
