// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.softmax: e^x along an axis, scaled to a sum of 1; nn.log_softmax: its logarithm.
#include <limits>

#include "channels.h"
#include "definition.h"
#include "ops.h"

namespace fovea {

TensorType softmax_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  read_axis(call, inputs[0].shape);
  return inputs[0];
}

namespace {

/// What softmax and its logarithm are made of.
struct Parts {
  Expression less;  ///< x less the largest along the axis.
  Expression sum;   ///< Of e^less along it.
};

Parts add_parts(const Call& call, DefinitionBuilder& builder, const Shape& shape) {
  const std::size_t axis = read_axis(call, shape);
  const Axis k = builder.axis(shape[axis]);
  std::vector<Expression> along = builder.places();
  along[axis] = variable(k.id);
  const Expression least = -std::numeric_limits<double>::infinity();
  const Expression most = builder.stage({axis}, reduce(ScalarFunction::kMaximum, {k}, least, builder.at(0, along)));
  const Expression sum = builder.stage({axis}, reduce(ScalarFunction::kAdd, {k}, 0, exp(builder.at(0, along) - most)));
  return {builder.broadcast(0) - most, sum};
}

}  // namespace

Definition define_softmax(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Parts parts = add_parts(call, builder, inputs[0].shape);
  return builder.result(exp(parts.less) / parts.sum);
}

Definition define_log_softmax(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Parts parts = add_parts(call, builder, inputs[0].shape);
  return builder.result(parts.less - log(parts.sum));
}

}  // namespace fovea
