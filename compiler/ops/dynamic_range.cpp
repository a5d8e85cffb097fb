// SPDX-License-Identifier: Apache-2.0
/// \file
/// qnn.dynamic_scale and qnn.dynamic_zero_point: the quantization to uint8 that just takes the values of x, as ONNX's
/// DynamicQuantizeLinear chooses it. x of any shape, float32 -> (), float32 or uint8.
#include <algorithm>

#include "operator.h"
#include "ops.h"
#include "spec/dla_requant.h"

namespace fovea {
namespace {

TensorType scalar_of(const Call& call, const TensorType& x, ElementType element) {
  check_call(x.element == ElementType::kFloat32, call, "x must be float32, not " + std::string(to_text(x.element)));
  return {{}, element};
}

/// The smallest and the largest value.
std::pair<float, float> range_of(const Tensor& x) {
  const auto values = x.values<float>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *most};
}

}  // namespace

TensorType dynamic_scale_type(const Call& call, const std::vector<TensorType>& inputs) {
  return scalar_of(call, inputs[0], ElementType::kFloat32);
}

Tensor evaluate_dynamic_scale(const Call&, const std::vector<const Tensor*>& inputs) {
  const auto [least, most] = range_of(*inputs[0]);
  return Tensor::of<float>({}, {dla_dynamic_scale(least, most)});
}

TensorType dynamic_zero_point_type(const Call& call, const std::vector<TensorType>& inputs) {
  return scalar_of(call, inputs[0], ElementType::kUint8);
}

Tensor evaluate_dynamic_zero_point(const Call&, const std::vector<const Tensor*>& inputs) {
  const auto [least, most] = range_of(*inputs[0]);
  return Tensor::of<uint8_t>({}, {dla_dynamic_zero_point(least, dla_dynamic_scale(least, most))});
}

}  // namespace fovea
