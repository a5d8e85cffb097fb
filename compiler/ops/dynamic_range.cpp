// SPDX-License-Identifier: Apache-2.0
/// \file
/// qnn.dynamic_scale and qnn.dynamic_zero_point: the quantization to uint8 that just takes the values of x, as ONNX's
/// DynamicQuantizeLinear chooses it. x of any shape, float32 -> (), float32 or uint8.
#include "definition.h"
#include "operator.h"
#include "ops.h"

namespace fovea {
namespace {

TensorType scalar_of(const Call& call, const TensorType& x, ElementType element) {
  check_call(x.element == ElementType::kFloat32, call, "x must be float32, not " + std::string(to_text(x.element)));
  return {{}, element};
}

/// The smallest or the largest of 0 and the values of input 0.
Expression extreme_of(DefinitionBuilder& builder, const Shape& x, ScalarFunction extreme) {
  std::vector<Axis> axes;
  std::vector<Expression> places;
  for (const int64_t size : x) {
    axes.push_back(builder.axis(size));
    places.push_back(variable(axes.back().id));
  }
  return builder.stage({}, reduce(extreme, axes, 0, builder.at(0, places)));
}

/// f32(range / 255), or 1 for no range. \param least  As extreme_of().
Expression scale_of(DefinitionBuilder& builder, const Shape& x, const Expression& least) {
  const Expression range = float32(extreme_of(builder, x, ScalarFunction::kMaximum) - least);
  return select(range == 0, 1, float32(range / 255));
}

}  // namespace

TensorType dynamic_scale_type(const Call& call, const std::vector<TensorType>& inputs) {
  return scalar_of(call, inputs[0], ElementType::kFloat32);
}

Definition define_dynamic_scale(const Call&, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, {});
  const Expression least = extreme_of(builder, inputs[0].shape, ScalarFunction::kMinimum);
  return builder.result(scale_of(builder, inputs[0].shape, least));
}

TensorType dynamic_zero_point_type(const Call& call, const std::vector<TensorType>& inputs) {
  return scalar_of(call, inputs[0], ElementType::kUint8);
}

/// rne(clamp(f32(-least / scale), 0, 255)).
Definition define_dynamic_zero_point(const Call&, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, {});
  const Expression least = extreme_of(builder, inputs[0].shape, ScalarFunction::kMinimum);
  const Expression steps = float32(-least / scale_of(builder, inputs[0].shape, least));
  return builder.result(integer(round(float32(clamped(steps, 0, 255)))));
}

}  // namespace fovea
