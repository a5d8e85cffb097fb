// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.bias_add and nn.batch_norm: a line through zero or not, for each channel, float32.
#include "channels.h"
#include "definition.h"
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

TensorType batch_norm_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() >= 2, call, "batch normalization takes [N, C, ...], not " + to_text(x));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    check_parameter(call, inputs[i], x, 1);
  }
  return inputs[0];
}

Definition define_bias_add(const Node& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(builder.broadcast(0) + builder.at(1, {builder.place(read_axis(call, inputs[0].shape))}));
}

Definition define_batch_norm(const Node& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const auto parameter = [&](std::size_t i) { return builder.at(i, {builder.place(1)}); };
  const Expression gamma = parameter(1), beta = parameter(2), mean = parameter(3), variance = parameter(4);
  const Expression deviation = sqrt(variance + float_attribute(call, "epsilon", 0));
  return builder.result(float32(builder.broadcast(0) - mean) / deviation * gamma + beta);
}

}  // namespace fovea
