// SPDX-License-Identifier: Apache-2.0
/// \file
/// Types of comparisons and of functions of what holds or does not; logical_not, where.
#include "broadcast.h"
#include "definition.h"
#include "operator.h"
#include "ops.h"

namespace fovea {

TensorType comparison_type(const Call& call, const std::vector<TensorType>& inputs) {
  return {binary_type(call, inputs).shape, ElementType::kBool};
}

TensorType logical_type(const Call& call, const std::vector<TensorType>& inputs) {
  for (const TensorType& input : inputs) {
    check_call(input.element == ElementType::kBool, call, "takes bool, not " + std::string(to_text(input.element)));
  }
  return inputs.size() == 1 ? inputs[0] : binary_type(call, inputs);
}

Definition define_logical_not(const Call&, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(logical_not(builder.broadcast(0)));
}

TensorType where_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kBool, call,
             "its condition must be bool, not " + std::string(to_text(inputs[0].element)));
  const TensorType chosen = binary_type(call, {inputs[1], inputs[2]});
  return {broadcast(call, inputs[0].shape, chosen.shape), chosen.element};
}

Definition define_where(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, where_type(call, inputs).shape);
  return builder.result(select(builder.broadcast(0), builder.broadcast(1), builder.broadcast(2)));
}

}  // namespace fovea
