// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.dense: x [N, C], w [M, C] -> [N, M], float32.
#include "ir/operator.h"
#include "ops.h"

namespace fovea {

TensorType dense_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  check_call(inputs[0].element == ElementType::kFloat32 && inputs[1].element == ElementType::kFloat32, call,
             "a fully connected layer takes float32 (dequantized) tensors");
  check_call(
      x.size() == 2 && w.size() == 2 && x[1] == w[1], call,
      "a fully connected layer multiplies x [N, C] by w [M, C]; here x is " + to_text(x) + " and w is " + to_text(w));
  return {{x[0], w[0]}, ElementType::kFloat32};
}

Tensor evaluate_dense(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(dense_type(call, {inputs[0]->type(), inputs[1]->type()}));
  const int64_t channels = inputs[0]->type().shape[1], filters = inputs[1]->type().shape[0];
  const auto x = inputs[0]->values<float>(), w = inputs[1]->values<float>();
  const auto y = result.values<float>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float* row = &x[i / filters * channels];
    const float* filter = &w[i % filters * channels];
    double sum = 0;
    for (int64_t c = 0; c < channels; ++c) {
      sum += static_cast<double>(row[c]) * filter[c];
    }
    y[i] = static_cast<float>(sum);
  }
  return result;
}

}  // namespace fovea
