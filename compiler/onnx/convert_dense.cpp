// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gemm, MatMul: fully connected layers, and products of matrices that are both computed.
#include <algorithm>
#include <numeric>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

void check_matrices(ImportContext& context, const OnnxNode& node, NodeId a, NodeId b) {
  node.check(context.shape(a).size() == 2 && context.shape(b).size() == 2,
             "multiplies " + to_text(context.shape(a)) + " by " + to_text(context.shape(b)) +
                 "; only two matrices can be multiplied, [N, C] by [C, M]");
}

/// \param x, w  As the node multiplies them; behind this, the second is transposed.
void check_product(const OnnxNode& node, const Shape& x, const Shape& w) {
  node.check(x[1] == w[0], "multiplies " + to_text(x) + " by " + to_text(w) + "; [N, C] by [C, M] works");
}

/// Whether a summand has one number for each column of a product, so that it is a bias.
bool is_bias(const Shape& summand, const Shape& product) {
  return !summand.empty() && count_elements(summand) == product[1] && summand.back() == product[1];
}

}  // namespace

NodeId scaled(ImportContext& context, const OnnxNode& node, NodeId x, float factor) {
  return factor == 1 ? x : context.call(node, "multiply", {x, context.number(node, factor)});
}

NodeId transposed(ImportContext& context, const OnnxNode& node, NodeId x) {
  std::vector<int64_t> axes(context.shape(x).size());
  node.check(axes.size() >= 2, "transposes a vector; transA=0 and transB=0 work");
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return context.move_elements(node, "transpose", x, {{"axes", axes}});
}

NodeId add_gemm(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias) {
  check_matrices(context, node, x, w);
  x = node.read_int("transA", 0) == 0 ? x : transposed(context, node, x);
  const Shape shape_of_w = context.shape(w);
  const bool is_transposed = node.read_int("transB", 0) != 0;
  check_product(node, context.shape(x), is_transposed ? Shape{shape_of_w[1], shape_of_w[0]} : shape_of_w);
  w = is_transposed ? w : transposed(context, node, w);
  const NodeId dense = scaled(context, node, context.call(node, "nn.dense", {x, w}), node.read_float("alpha", 1));
  if (!bias) {
    return dense;
  }
  const Shape shape = context.shape(dense), summand = context.shape(*bias);
  if (!is_bias(summand, shape)) {
    const bool fits = summand.size() <= 2 && std::equal(summand.rbegin(), summand.rend(), shape.rbegin(),
                                                        [](int64_t a, int64_t b) { return a == 1 || a == b; });
    node.check(fits, "the bias of " + node.op() + " is " + to_text(summand) + "; one number a column works, " +
                         to_text(Shape{shape[1]}) + ", and what can be broadcast to " + to_text(shape));
    return context.call(node, "add", {dense, *bias});
  }
  if (summand.size() != 1) {
    bias = context.move_elements(node, "reshape", *bias, {{"newshape", std::vector<int64_t>{shape[1]}}});
  }
  return context.call(node, "nn.bias_add", {dense, *bias}, {{"axis", int64_t{1}}});
}

NodeId add_mat_mul(ImportContext& context, const OnnxNode& node, NodeId x, NodeId w) {
  if (context.shape(x).size() != 2 || context.shape(w).size() != 2) {
    return context.call(node, "matmul", {x, w});
  }
  check_product(node, context.shape(x), context.shape(w));
  return context.call(node, "nn.dense", {x, transposed(context, node, w)});
}

NodeId convert_gemm(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  std::optional<NodeId> bias = context.optional_input(node, 2);
  const float beta = node.read_float("beta", 1);
  bias = bias ? std::optional(scaled(context, node, *bias, beta)) : bias;
  return add_gemm(context, node, x, w, bias);
}

NodeId convert_mat_mul(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  return add_mat_mul(context, node, x, w);
}

}  // namespace fovea
