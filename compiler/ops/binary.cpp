// SPDX-License-Identifier: Apache-2.0
/// \file
/// Types of calls with two operands, broadcast as numpy does it.
#include <algorithm>

#include "broadcast.h"
#include "operator.h"
#include "ops.h"
#include "tensor/type_text.h"

namespace fovea {

Shape broadcast(const Call& call, const Shape& a, const Shape& b) {
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

TensorType binary_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == inputs[1].element, call,
             "takes two of one element type, not " + type_text(inputs[0]) + " and " + type_text(inputs[1]));
  return {broadcast(call, inputs[0].shape, inputs[1].shape), inputs[0].element};
}

TensorType arithmetic_type(const Call& call, const std::vector<TensorType>& inputs) {
  return check_numbers(call, binary_type(call, inputs));
}

TensorType integral_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = arithmetic_type(call, inputs);
  check_call(type.element != ElementType::kFloat32, call, "remainders are of integers, not float32");
  return type;
}

TensorType power_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = binary_type(call, inputs);
  check_call(type.element == ElementType::kFloat32, call,
             "powers are of float32, not " + std::string(to_text(type.element)));
  return type;
}

Definition define_power(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, power_type(call, inputs).shape);
  return builder.result(power(builder.broadcast(0), builder.broadcast(1)));
}

}  // namespace fovea
