// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 normalizations. nn.bias_add and nn.batch_norm: a line through zero or not, for each channel;
/// nn.instance_norm and nn.layer_norm: by mean and variance of what lies along some axes; nn.lrn: by what is near.
#include "channels.h"
#include "definition.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

void check_parameter(const Call& call, const TensorType& parameter, const Shape& x, std::size_t axis) {
  check_call(parameter.shape == Shape{x[axis]} && parameter.element == ElementType::kFloat32, call,
             "needs one float32 a channel, " + std::to_string(x[axis]) + " in all; here " + type_text(parameter));
}

}  // namespace

TensorType bias_add_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_parameter(call, inputs[1], inputs[0].shape, read_axis(call, inputs[0].shape));
  return inputs[0];
}

TensorType batch_norm_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() >= 2, call, "batch normalization takes [N, C, ...], not " + to_text(x));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    check_parameter(call, inputs[i], x, 1);
  }
  return inputs[0];
}

Definition define_bias_add(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(builder.broadcast(0) + builder.at(1, {builder.place(read_axis(call, inputs[0].shape))}));
}

Definition define_batch_norm(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const auto parameter = [&](std::size_t i) { return builder.at(i, {builder.place(1)}); };
  const Expression gamma = parameter(1), beta = parameter(2), mean = parameter(3), variance = parameter(4);
  const Expression deviation = sqrt(variance + float_attribute(call, "epsilon", 0));
  return builder.result(float32(builder.broadcast(0) - mean) / deviation * gamma + beta);
}

namespace {

void check_floats(const Call& call, const std::vector<TensorType>& inputs) {
  for (const TensorType& input : inputs) {
    check_call(input.element == ElementType::kFloat32, call,
               "all that it reads must be float32; here is " + type_text(input));
  }
}

/// x less the mean along `reduced` axes, by the square root of its variance there.
Expression normalized(const Call& call, DefinitionBuilder& builder, const Shape& shape,
                      const std::vector<std::size_t>& reduced) {
  std::vector<Expression> along = builder.places();
  std::vector<Axis> axes;
  double count = 1;
  for (const std::size_t axis : reduced) {
    axes.push_back(builder.axis(shape[axis]));
    along[axis] = variable(axes.back().id);
    count *= static_cast<double>(shape[axis]);
  }
  const Expression x = builder.at(0, along);
  const Expression mean = builder.stage(reduced, reduce(ScalarFunction::kAdd, axes, 0, x) / count);
  const Expression square = (x - mean) * (x - mean);
  const Expression variance = builder.stage(reduced, reduce(ScalarFunction::kAdd, axes, 0, square) / count);
  const Expression deviation = sqrt(variance + float_attribute(call, "epsilon", 0));
  return (builder.broadcast(0) - mean) / deviation;
}

/// The axes of a shape from one on.
std::vector<std::size_t> axes_from(const Shape& shape, std::size_t first) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = first; axis < shape.size(); ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

TensorType instance_norm_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() >= 3, call, "instance normalization takes [N, C, ...], not " + to_text(x));
  check_floats(call, inputs);
  check_parameter(call, inputs[1], x, 1);
  check_parameter(call, inputs[2], x, 1);
  return inputs[0];
}

Definition define_instance_norm(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Expression normal = normalized(call, builder, inputs[0].shape, axes_from(inputs[0].shape, 2));
  return builder.result(normal * builder.at(1, {builder.place(1)}) + builder.at(2, {builder.place(1)}));
}

TensorType layer_norm_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_floats(call, inputs);
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(read_axis(call, x));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    check_call(inputs[i].shape == Shape(first, x.end()), call,
               "needs a factor and a summand for each place along its axes, " + to_text(Shape(first, x.end())) +
                   "; here " + type_text(inputs[i]));
  }
  return inputs[0];
}

Definition define_layer_norm(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const std::vector<std::size_t> axes = axes_from(inputs[0].shape, read_axis(call, inputs[0].shape));
  const Expression normal = normalized(call, builder, inputs[0].shape, axes);
  return builder.result(normal * builder.broadcast(1) + builder.broadcast(2));
}

TensorType lrn_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() >= 2, call, "local response normalization takes [N, C, ...], not " + to_text(x));
  check_floats(call, inputs);
  check_call(int_attribute(call, "size", 1) >= 1, call, "size must be 1 or more");
  return inputs[0];
}

/// y = x / (bias + alpha / size * sum of x^2 over `size` channels around its own)^beta, as ONNX's LRN.
Definition define_lrn(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const int64_t size = int_attribute(call, "size", 1);
  const Axis k = builder.axis(size);
  const int64_t before = (size - 1) / 2;
  std::vector<Expression> near = builder.places();
  near[1] = near[1] + variable(k.id) - before;
  const Expression x = builder.at(0, near, 0);
  const Expression sum = reduce(ScalarFunction::kAdd, {k}, 0, x * x);
  const Expression base =
      sum * (float_attribute(call, "alpha", 0) / static_cast<double>(size)) + float_attribute(call, "bias", 1);
  return builder.result(builder.broadcast(0) * exp(-(log(base) * float_attribute(call, "beta", 0))));
}

}  // namespace fovea
