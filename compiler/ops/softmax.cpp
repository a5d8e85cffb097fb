// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.softmax: e^x along an axis, scaled to a sum of 1.
#include <algorithm>
#include <cmath>

#include "channels.h"
#include "ops.h"

namespace fovea {

TensorType softmax_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  read_axis(call, inputs[0].shape);
  return inputs[0];
}

/// In double, rounded once.
Tensor evaluate_softmax(const Node& call, const std::vector<const Tensor*>& inputs) {
  const Tensor& x = *inputs[0];
  Tensor result(x.type());
  const Shape& shape = x.type().shape;
  const std::size_t axis = read_axis(call, shape);
  const int64_t size = shape[axis];
  const int64_t step = elements_from(shape, axis + 1);
  for (int64_t first = 0; first < count_elements(shape); ++first) {
    if (channel_of(shape, axis, first) != 0) {
      continue;
    }
    double most = x.at(first), sum = 0;
    for (int64_t i = 1; i < size; ++i) {
      most = std::max(most, x.at(first + i * step));
    }
    for (int64_t i = 0; i < size; ++i) {
      sum += std::exp(x.at(first + i * step) - most);
    }
    for (int64_t i = 0; i < size; ++i) {
      result.set(first + i * step, std::exp(x.at(first + i * step) - most) / sum);
    }
  }
  return result;
}

}  // namespace fovea
