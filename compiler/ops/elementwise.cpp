// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.relu, clip, nn.prelu, add, cast: one output element for each input element.
#include <algorithm>
#include <cmath>

#include "channels.h"
#include "ir/error.h"
#include "ops.h"

namespace fovea {
namespace {

/// Result shape of numpy's broadcasting. UserError where it does not apply.
Shape broadcast(const Node& call, const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  const auto dimension = [&](const Shape& shape, std::size_t i) {
    const std::size_t missing = result.size() - shape.size();
    return i < missing ? int64_t{1} : shape[i - missing];
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int64_t left = dimension(a, i), right = dimension(b, i);
    check_call(left == right || left == 1 || right == 1, call,
               "shapes " + to_text(a) + " and " + to_text(b) + " can't be broadcast");
    result[i] = left == 1 ? right : left;
  }
  return result;
}

/// Place in a tensor of shape `from` of the element that broadcasting puts at place `index` of `to`.
std::size_t broadcast_source(const Shape& from, const Shape& to, std::size_t index) {
  std::size_t place = 0, step = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int64_t size = from[from.size() - 1 - i];
    const std::size_t whole = static_cast<std::size_t>(to[to.size() - 1 - i]);
    if (size != 1) {
      place += index % whole * step;
    }
    index /= whole;
    step *= static_cast<std::size_t>(size);
  }
  return place;
}

}  // namespace

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

TensorType add_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == inputs[1].element, call, "both terms of a sum must have one element type");
  return {broadcast(call, inputs[0].shape, inputs[1].shape), inputs[0].element};
}

Tensor evaluate_add(const Node& call, const std::vector<const Tensor*>& inputs) {
  const Tensor &a = *inputs[0], &b = *inputs[1];
  Tensor result(add_type(call, {a.type(), b.type()}));
  const Shape& shape = result.type().shape;
  for (int64_t i = 0; i < count_elements(shape); ++i) {
    const std::size_t left = broadcast_source(a.type().shape, shape, i),
                      right = broadcast_source(b.type().shape, shape, i);
    if (result.type().element == ElementType::kFloat32) {
      result.set(i, a.at(left) + b.at(right));
    } else {
      const uint64_t sum = static_cast<uint64_t>(a.integer_at(left)) + static_cast<uint64_t>(b.integer_at(right));
      result.set_integer(i, static_cast<int64_t>(sum));
    }
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
