// SPDX-License-Identifier: Apache-2.0
/// \file
/// Broadcasts parameters, and adds an operator for each step that they are for.
#include "quantization_steps.h"

#include <algorithm>

#include "ops/channels.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool is_zero(const Tensor& floats) {
  return std::ranges::all_of(floats.values<float>(), [](float value) { return value == 0; });
}

/// Of a tensor's scales or zero points: float32, one for each element along `axis`, or in the tensor's own shape.
Tensor spread(const Tensor& parameter, const Shape& x, std::size_t axis, int64_t block_size) {
  Shape shape = x;
  if (block_size == 0) {
    std::ranges::fill(shape, 1);
    shape[axis] = x[axis];
  }
  Tensor all({shape, ElementType::kFloat32});
  const auto inside = static_cast<std::size_t>(elements_from(shape, axis + 1));
  const auto block = static_cast<std::size_t>(std::max<int64_t>(block_size, 1));
  const std::size_t along = static_cast<std::size_t>(shape[axis]), blocks = (along + block - 1) / block;
  for (std::size_t i = 0; i < all.values<float>().size(); ++i) {
    const std::size_t outside = i / inside / along, place = i / inside % along;
    all.set(i, parameter.at((outside * blocks + place / block) * inside + i % inside));
  }
  return all;
}

}  // namespace

QuantizationSteps spread_quantization(const Tensor& scale, const Tensor& zero_point, const Shape& x, int64_t axis,
                                      int64_t block_size, const std::string& owner) {
  const auto user_check = [&](bool holds, const std::string& what) {
    if (!holds) {
      user_error(owner + ": " + what);
    }
  };
  user_check(scale.type().element == ElementType::kFloat32, "the scale must be float32");
  const int64_t count = count_elements(scale.type().shape);
  user_check(count == count_elements(zero_point.type().shape), "scale and zero point must be equally many");
  if (count == 1 && block_size == 0) {
    return {Tensor::of<float>({}, {static_cast<float>(scale.at(0))}),
            Tensor::of<float>({}, {static_cast<float>(zero_point.at(0))})};
  }
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t along = axis < 0 ? axis + rank : axis;
  user_check(along >= 0 && along < rank, "axis " + std::to_string(axis) + " is outside the shape " + to_text(x));
  const auto place = static_cast<std::size_t>(along);
  Shape needed{x[place]};
  if (block_size != 0) {
    user_check(block_size > 0, "a block size of " + std::to_string(block_size) + " is none; a positive one works");
    needed = x;
    needed[place] = (x[place] + block_size - 1) / block_size;
  }
  user_check(block_size == 0 ? count == needed[0] : scale.type().shape == needed,
             "its scales have the shape " + to_text(scale.type().shape) + "; " + to_text(needed) + " works for " +
                 to_text(x) + (block_size == 0 ? "" : " in blocks of " + std::to_string(block_size)));
  return {spread(scale, x, place, block_size), spread(zero_point, x, place, block_size)};
}

NodeId add_quantize_steps(GraphBuilder& builder, NodeId x, const QuantizationSteps& steps, ElementType element,
                          int64_t least, int64_t most, const std::string& origin) {
  NodeId y = builder.call("divide", {x, builder.constant(steps.scale, origin)}, {}, origin);
  y = builder.call("round", {y}, {}, origin);
  if (!is_zero(steps.zero_point)) {
    y = builder.call("add", {y, builder.constant(steps.zero_point, origin)}, {}, origin);
  }
  y = builder.call("clip", {y}, {{"min", static_cast<double>(least)}, {"max", static_cast<double>(most)}}, origin);
  return builder.call("cast", {y}, {{"dtype", std::string(to_text(element))}}, origin);
}

NodeId add_dequantize_steps(GraphBuilder& builder, NodeId q, const QuantizationSteps& steps,
                            const std::string& origin) {
  NodeId x = builder.call("cast", {q}, {{"dtype", std::string(to_text(ElementType::kFloat32))}}, origin);
  if (!is_zero(steps.zero_point)) {
    x = builder.call("subtract", {x, builder.constant(steps.zero_point, origin)}, {}, origin);
  }
  return builder.call("multiply", {x, builder.constant(steps.scale, origin)}, {}, origin);
}

}  // namespace fovea
