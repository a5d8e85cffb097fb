// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.relu, clip, nn.prelu, cast: one output element for each input element.
#include <algorithm>
#include <cmath>

#include "broadcast.h"
#include "ir/operator.h"
#include "ops.h"

namespace fovea {

TensorType relu_type(const Node&, const std::vector<TensorType>& inputs) { return inputs[0]; }

Tensor evaluate_relu(const Node&, const std::vector<const Tensor*>& inputs) {
  Tensor result = *inputs[0];
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    result.set(i, std::max(0.0, result.at(i)));
  }
  return result;
}

TensorType clip_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(float_attribute(call, "min", 0) <= float_attribute(call, "max", 0), call, "min must not exceed max");
  return inputs[0];
}

/// Not a number becomes the lower end, as what is quantized first and clipped then does.
Tensor evaluate_clip(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result = *inputs[0];
  const double least = float_attribute(call, "min", 0), most = float_attribute(call, "max", 0);
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    const double x = result.at(i);
    result.set(i, std::isnan(x) ? least : std::clamp(x, least, most));
  }
  return result;
}

TensorType prelu_type(const Node& call, const std::vector<TensorType>& inputs) {
  const TensorType &x = inputs[0], &slope = inputs[1];
  check_call(x.element == ElementType::kFloat32 && slope.element == ElementType::kFloat32, call,
             "x and its slope must be float32");
  check_call(broadcast(call, x.shape, slope.shape) == x.shape, call,
             "the slope " + to_text(slope.shape) + " can't be broadcast to " + to_text(x.shape));
  return x;
}

Tensor evaluate_prelu(const Node&, const std::vector<const Tensor*>& inputs) {
  const Tensor &x = *inputs[0], &slope = *inputs[1];
  Tensor result = x;
  for (int64_t i = 0; i < count_elements(x.type().shape); ++i) {
    const double factor = slope.at(broadcast_source(slope.type().shape, x.type().shape, i));
    result.set(i, x.at(i) >= 0 ? x.at(i) : factor * x.at(i));
  }
  return result;
}

TensorType cast_type(const Node& call, const std::vector<TensorType>& inputs) {
  const std::string name = text_attribute(call, "dtype", "");
  const auto element = parse_element_type(name);
  check_call(element.has_value(), call,
             "there is no element type " + name + "; there are float32, uint8, int8, int32, int64");
  return {inputs[0].shape, *element};
}

Tensor evaluate_cast(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(cast_type(call, {inputs[0]->type()}));
  const bool is_float = inputs[0]->type().element == ElementType::kFloat32;
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    if (is_float || result.type().element == ElementType::kFloat32) {
      result.set(i, inputs[0]->at(i));
    } else {
      result.set_integer(i, inputs[0]->integer_at(i));
    }
  }
  return result;
}

}  // namespace fovea
