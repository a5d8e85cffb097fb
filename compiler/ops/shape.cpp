// SPDX-License-Identifier: Apache-2.0
/// \file
/// shape_of and full: from shapes to tensors and from nothing to tensors.
#include <algorithm>

#include "ir/operator.h"
#include "ops.h"

namespace fovea {

TensorType shape_of_type(const Node&, const std::vector<TensorType>& inputs) {
  return {{static_cast<int64_t>(inputs[0].shape.size())}, ElementType::kInt64};
}

Tensor evaluate_shape_of(const Node&, const std::vector<const Tensor*>& inputs) {
  const Shape& shape = inputs[0]->type().shape;
  return Tensor::of<int64_t>({static_cast<int64_t>(shape.size())}, shape);
}

TensorType full_type(const Node& call, const std::vector<TensorType>&) {
  const Shape shape = ints_attribute(call, "shape", {});
  const auto element = parse_element_type(text_attribute(call, "dtype", ""));
  check_call(element.has_value(), call, "there is no element type " + text_attribute(call, "dtype", ""));
  check_call(std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size >= 0; }), call,
             "a shape has no negative numbers");
  return {shape, *element};
}

Tensor evaluate_full(const Node& call, const std::vector<const Tensor*>&) {
  Tensor result(full_type(call, {}));
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    result.set(i, float_attribute(call, "value", 0));
  }
  return result;
}

}  // namespace fovea
