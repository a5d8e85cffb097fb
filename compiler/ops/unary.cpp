// SPDX-License-Identifier: Apache-2.0
/// \file
/// Types of functions of one number, and which those are.
#include "unary.h"

#include "ir/operator.h"
#include "ops.h"

namespace fovea {

TensorType unary_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  return inputs[0];
}

bool is_unary(const Node& node) { return node.kind == NodeKind::kCall && node.op->unary != nullptr; }

bool is_elementwise(const Node& node) {
  return is_unary(node) || is_call(node, "add") || is_call(node, "multiply") || is_call(node, "divide") ||
         is_call(node, "nn.prelu");
}

}  // namespace fovea
