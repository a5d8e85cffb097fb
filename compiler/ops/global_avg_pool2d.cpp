// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.global_avg_pool2d: x [N, C, H, W] float32 -> [N, C, 1, 1], the mean of each plane.
#include "definition.h"
#include "operator.h"
#include "ops.h"

namespace fovea {

TensorType global_avg_pool2d_type(const Call& call, const std::vector<TensorType>& inputs) {
  const TensorType& x = inputs[0];
  check_call(x.shape.size() == 4, call, "only 2-D pools are supported: x is [N, C, H, W], not " + to_text(x.shape));
  check_call(x.element == ElementType::kFloat32, call, "x must be float32, not " + std::string(to_text(x.element)));
  return {{x.shape[0], x.shape[1], 1, 1}, x.element};
}

Definition define_global_avg_pool2d(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  DefinitionBuilder builder(inputs, global_avg_pool2d_type(call, inputs).shape);
  const Axis row = builder.axis(x[2]), col = builder.axis(x[3]);
  const Expression pixel = builder.at(0, {builder.place(0), builder.place(1), variable(row.id), variable(col.id)});
  return builder.result(reduce(ScalarFunction::kAdd, {row, col}, 0, pixel) / static_cast<double>(x[2] * x[3]));
}

}  // namespace fovea
