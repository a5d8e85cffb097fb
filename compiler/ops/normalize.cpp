// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.bias_add and nn.batch_norm: a line through zero or not, for each channel, float32.
#include <cmath>

#include "channels.h"
#include "ops.h"

namespace fovea {
namespace {

void check_parameter(const Node& call, const TensorType& parameter, const Shape& x, std::size_t axis) {
  check_call(parameter.shape == Shape{x[axis]} && parameter.element == ElementType::kFloat32, call,
             "needs one float32 a channel, " + std::to_string(x[axis]) + " in all; here " + to_text(parameter));
}

}  // namespace

TensorType bias_add_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_parameter(call, inputs[1], inputs[0].shape, read_axis(call, inputs[0].shape));
  return inputs[0];
}

Tensor evaluate_bias_add(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result = *inputs[0];
  const Shape& shape = result.type().shape;
  const std::size_t axis = read_axis(call, shape);
  const auto y = result.values<float>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] += inputs[1]->values<float>()[channel_of(shape, axis, i)];
  }
  return result;
}

TensorType batch_norm_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() >= 2, call, "batch normalization takes [N, C, ...], not " + to_text(x));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    check_parameter(call, inputs[i], x, 1);
  }
  return inputs[0];
}

Tensor evaluate_batch_norm(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result = *inputs[0];
  const auto y = result.values<float>();
  const auto gamma = inputs[1]->values<float>(), beta = inputs[2]->values<float>();
  const auto mean = inputs[3]->values<float>(), variance = inputs[4]->values<float>();
  const double epsilon = float_attribute(call, "epsilon", 0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = channel_of(result.type().shape, 1, i);
    y[i] = static_cast<float>((y[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * gamma[c] + beta[c]);
  }
  return result;
}

}  // namespace fovea
