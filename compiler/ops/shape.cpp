// SPDX-License-Identifier: Apache-2.0
/// \file
/// shape_of and full: from shapes to tensors and from nothing to tensors.
#include "operator.h"
#include "ops.h"

namespace fovea {

TensorType shape_of_type(const Call&, const std::vector<TensorType>& inputs) {
  return {{static_cast<int64_t>(inputs[0].shape.size())}, ElementType::kInt64};
}

Tensor evaluate_shape(const Shape& shape) { return Tensor::of<int64_t>({static_cast<int64_t>(shape.size())}, shape); }

Tensor evaluate_shape_of(const Call&, const std::vector<const Tensor*>& inputs) {
  return evaluate_shape(inputs[0]->type().shape);
}

TensorType full_type(const Call& call, const std::vector<TensorType>&) {
  const Shape shape = ints_attribute(call, "shape", {});
  const auto element = parse_element_type(text_attribute(call, "dtype", ""));
  check_call(element.has_value(), call, "there is no element type " + text_attribute(call, "dtype", ""));
  constexpr int64_t kMostElements = int64_t{1} << 24;  // They are filled while compiling.
  check_shape(shape, call_name(call));
  check_call(count_elements(shape) <= kMostElements, call,
             "fills " + to_text(shape) + " with one number; at most 2^24 elements work");
  return {shape, *element};
}

Tensor evaluate_full(const Call& call, const std::vector<const Tensor*>&) {
  Tensor result(full_type(call, {}));
  for (int64_t i = 0; i < count_elements(result.type().shape); ++i) {
    result.set(i, float_attribute(call, "value", 0));
  }
  return result;
}

}  // namespace fovea
