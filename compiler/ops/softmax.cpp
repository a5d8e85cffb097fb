// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.softmax: e^x along an axis, scaled to a sum of 1.
#include <limits>

#include "channels.h"
#include "definition.h"
#include "ops.h"

namespace fovea {

TensorType softmax_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  read_axis(call, inputs[0].shape);
  return inputs[0];
}

Definition define_softmax(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& shape = inputs[0].shape;
  const std::size_t axis = read_axis(call, shape);
  DefinitionBuilder builder(inputs, shape);
  const Axis k = builder.axis(shape[axis]);
  std::vector<Expression> along = builder.places();
  along[axis] = variable(k.id);
  const Expression least = -std::numeric_limits<double>::infinity();
  const Expression most = builder.stage({axis}, reduce(ScalarFunction::kMaximum, {k}, least, builder.at(0, along)));
  const Expression sum = builder.stage({axis}, reduce(ScalarFunction::kAdd, {k}, 0, exp(builder.at(0, along) - most)));
  return builder.result(exp(builder.broadcast(0) - most) / sum);
}

}  // namespace fovea
