// SPDX-License-Identifier: Apache-2.0
/// \file
/// Types of functions of one number, and which those are; annotation.stop_fusion.
#include "unary.h"

#include "definition.h"
#include "operator.h"
#include "ops.h"

namespace fovea {

TensorType unary_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  return inputs[0];
}

/// x itself. No pattern has it, so that what is in front of it and what is behind it are not one layer.
Definition define_stop_fusion(const Call&, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(builder.broadcast(0));
}

bool is_arithmetic(const Call& call) {
  using Row = TensorType (*)(const Call&, const std::vector<TensorType>&);
  const Row* type = call.op == nullptr ? nullptr : call.op->infer_type.target<Row>();
  return type != nullptr && *type == arithmetic_type;
}

bool is_unary(const Call& call) { return call.op != nullptr && call.op->unary != nullptr; }

bool is_elementwise(const Call& call) {
  return is_unary(call) || is_call(call, "add") || is_call(call, "multiply") || is_call(call, "divide") ||
         is_call(call, "nn.prelu");
}

}  // namespace fovea
