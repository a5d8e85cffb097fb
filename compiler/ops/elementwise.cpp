// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.relu, clip, nn.prelu, cast: one output element for each input element.
#include "broadcast.h"
#include "definition.h"
#include "operator.h"
#include "ops.h"

namespace fovea {

TensorType check_numbers(const Call& call, const TensorType& type) {
  check_call(type.element != ElementType::kBool, call, "computes with numbers, not bool");
  return type;
}

TensorType relu_type(const Call& call, const std::vector<TensorType>& inputs) { return check_numbers(call, inputs[0]); }

TensorType clip_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(float_attribute(call, "min", 0) <= float_attribute(call, "max", 0), call, "min must not exceed max");
  return check_numbers(call, inputs[0]);
}

TensorType prelu_type(const Call& call, const std::vector<TensorType>& inputs) {
  const TensorType &x = inputs[0], &slope = inputs[1];
  check_call(x.element == ElementType::kFloat32 && slope.element == ElementType::kFloat32, call,
             "x and its slope must be float32");
  check_call(broadcast(call, x.shape, slope.shape) == x.shape, call,
             "the slope " + to_text(slope.shape) + " can't be broadcast to " + to_text(x.shape));
  return x;
}

TensorType cast_type(const Call& call, const std::vector<TensorType>& inputs) {
  const std::string name = text_attribute(call, "dtype", "");
  const auto element = parse_element_type(name);
  check_call(element.has_value(), call,
             "there is no element type " + name + "; there are float32, uint8, int8, int32, int64, bool");
  return {inputs[0].shape, *element};
}

Definition define_prelu(const Call&, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Expression x = builder.broadcast(0);
  return builder.result(select(x >= 0, x, builder.broadcast(1) * x));
}

Definition define_cast(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Expression x = builder.broadcast(0);
  switch (value_type(cast_type(call, inputs).element)) {
    case ScalarType::kFloat64:
      return builder.result(real(x));
    case ScalarType::kBool:
      return builder.result(x->type == ScalarType::kBool ? x : x != 0);
    default:
      return builder.result(integer(x));
  }
}

}  // namespace fovea
