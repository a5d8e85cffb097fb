// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.global_avg_pool2d: x [N, C, H, W] float32 -> [N, C, 1, 1], the mean of each plane.
#include "ir/operator.h"
#include "ops.h"

namespace fovea {

TensorType global_avg_pool2d_type(const Node& call, const std::vector<TensorType>& inputs) {
  const TensorType& x = inputs[0];
  check_call(x.shape.size() == 4, call, "only 2-D pools are supported: x is [N, C, H, W], not " + to_text(x.shape));
  check_call(x.element == ElementType::kFloat32, call, "x must be float32, not " + std::string(to_text(x.element)));
  return {{x.shape[0], x.shape[1], 1, 1}, x.element};
}

/// Summed in double, so that the order does not count.
Tensor evaluate_global_avg_pool2d(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(global_avg_pool2d_type(call, {inputs[0]->type()}));
  const Shape& x = inputs[0]->type().shape;
  const int64_t plane = x[2] * x[3];
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < plane; ++j) {
      sum += inputs[0]->at(i * plane + j);
    }
    result.set(i, sum / static_cast<double>(plane));
  }
  return result;
}

}  // namespace fovea
