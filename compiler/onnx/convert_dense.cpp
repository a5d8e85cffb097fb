// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gemm, MatMul: fully connected layers.
#include "converters.h"

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

NodeId convert_gemm(ImportContext& context, OnnxNode& node) {
  node.require_float("alpha", 1);
  node.require_float("beta", 1);
  node.require_int("transA", 0);
  const NodeId x = context.input(node, 0);
  NodeId w = context.input(node, 1);
  check_ranks(context, node, x, w);
  if (node.read_int("transB", 0) == 0) {
    w = transpose(context, node, w);
  }
  const NodeId dense = context.call(node, "nn.dense", {x, w});
  if (!node.has_input(2)) {
    return dense;
  }
  NodeId bias = context.input(node, 2);
  const int64_t filters = context.shape(dense)[1];
  node.check(
      count_elements(context.shape(bias)) == filters,
      "input 3 of Gemm is " + to_text(context.shape(bias)) + "; one number a column works, " + to_text(Shape{filters}));
  if (context.shape(bias).size() != 1) {
    bias = context.move_elements(node, "reshape", bias, {{"newshape", std::vector<int64_t>{filters}}});
  }
  return context.call(node, "nn.bias_add", {dense, bias}, {{"axis", int64_t{1}}});
}

NodeId convert_mat_mul(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  check_ranks(context, node, x, w);
  return context.call(node, "nn.dense", {x, transpose(context, node, w)});
}

}  // namespace fovea
