// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gemm, MatMul: fully connected layers.
#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

void check_ranks(ImportContext& context, const OnnxNode& node, NodeId a, NodeId b) {
  node.check(context.shape(a).size() == 2 && context.shape(b).size() == 2,
             "multiplies " + to_text(context.shape(a)) + " by " + to_text(context.shape(b)) +
                 "; only two matrices can be multiplied, [N, C] by [C, M]");
}

NodeId transpose(ImportContext& context, const OnnxNode& node, NodeId matrix) {
  return context.move_elements(node, "transpose", matrix, {{"axes", std::vector<int64_t>{1, 0}}});
}

}  // namespace

NodeId add_gemm(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias) {
  node.require_float("alpha", 1);
  node.require_int("transA", 0);
  check_ranks(context, node, x, w);
  if (node.read_int("transB", 0) == 0) {
    w = transpose(context, node, w);
  }
  const NodeId dense = context.call(node, "nn.dense", {x, w});
  if (!bias) {
    return dense;
  }
  const int64_t filters = context.shape(dense)[1];
  node.check(count_elements(context.shape(*bias)) == filters,
             "the bias of " + node.op() + " is " + to_text(context.shape(*bias)) + "; one number a column works, " +
                 to_text(Shape{filters}));
  if (context.shape(*bias).size() != 1) {
    bias = context.move_elements(node, "reshape", *bias, {{"newshape", std::vector<int64_t>{filters}}});
  }
  return context.call(node, "nn.bias_add", {dense, *bias}, {{"axis", int64_t{1}}});
}

NodeId add_mat_mul(ImportContext& context, const OnnxNode& node, NodeId x, NodeId w) {
  check_ranks(context, node, x, w);
  return context.call(node, "nn.dense", {x, transpose(context, node, w)});
}

NodeId convert_gemm(ImportContext& context, OnnxNode& node) {
  node.require_float("beta", 1);
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  return add_gemm(context, node, x, w, context.optional_input(node, 2));
}

NodeId convert_mat_mul(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  return add_mat_mul(context, node, x, w);
}

}  // namespace fovea
