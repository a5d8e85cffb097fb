// SPDX-License-Identifier: Apache-2.0
/// \file
/// ReduceMean: a global average pool of what is averaged, as planes; ReduceMax, ReduceMin, ReduceProd, ReduceSum,
/// and sums of functions: ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, ReduceSumSquare.
#include <algorithm>

#include "converters.h"

namespace fovea {
namespace {

/// Whether each axis is reduced: an attribute names them until opset 17, an input from 18. Without either all are, or
/// none where noop_with_empty_axes says so.
std::vector<bool> read_reduced(ImportContext& context, OnnxNode& node, std::size_t rank) {
  const std::vector<int64_t> axes = node.has_input(1) ? context.ints_input(node, 1) : node.read_ints("axes", {});
  const bool is_all = node.read_int("noop_with_empty_axes", 0) == 0 && axes.empty();
  std::vector<bool> is_reduced(rank, is_all);
  for (const int64_t axis : axes) {
    const auto size = static_cast<int64_t>(rank);
    node.check(axis >= -size && axis < size,
               "axis " + std::to_string(axis) + " is outside a shape of " + std::to_string(rank) + " dimensions");
    is_reduced[static_cast<std::size_t>(axis < 0 ? axis + size : axis)] = true;
  }
  return is_reduced;
}

NodeId reshape_if_other(ImportContext& context, const OnnxNode& node, NodeId x, const Shape& shape) {
  return context.shape(x) == shape ? x : context.move_elements(node, "reshape", x, {{"newshape", shape}});
}

}  // namespace

NodeId convert_reduce_mean(ImportContext& context, OnnxNode& node) {
  NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const std::vector<bool> is_reduced = read_reduced(context, node, shape.size());
  const bool keeps_dimensions = node.read_int("keepdims", 1) != 0;
  Shape result;
  std::vector<int64_t> order, reduced;  // Axes: those that stay, then those that go.
  int64_t means = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (is_reduced[i] ? reduced : order).push_back(static_cast<int64_t>(i));
    means *= is_reduced[i] ? 1 : shape[i];
    if (!is_reduced[i] || keeps_dimensions) {
      result.push_back(is_reduced[i] ? 1 : shape[i]);
    }
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  if (!std::is_sorted(order.begin(), order.end())) {
    x = context.move_elements(node, "transpose", x, {{"axes", order}});
  }
  const int64_t columns = reduced.size() == 2 ? shape[static_cast<std::size_t>(reduced[1])] : 1;
  node.check(means > 0 && columns > 0, "the mean of no values");
  x = reshape_if_other(context, node, x, {1, means, count_elements(shape) / means / columns, columns});
  return reshape_if_other(context, node, context.call(node, "nn.global_avg_pool2d", {x}), result);
}

namespace {

/// The axes that a node reduces, from the front.
std::vector<int64_t> reduced_axes(ImportContext& context, OnnxNode& node, NodeId x) {
  const std::vector<bool> is_reduced = read_reduced(context, node, context.shape(x).size());
  std::vector<int64_t> axes;
  for (std::size_t i = 0; i < is_reduced.size(); ++i) {
    if (is_reduced[i]) {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  return axes;
}

/// ln(sum(e^x)) as m + ln(sum(e^(x - m))), m the largest x, so that nothing overflows.
NodeId add_log_sum_exp(ImportContext& context, const OnnxNode& node, NodeId x, const Attributes& attributes) {
  Attributes kept = attributes;
  kept["keepdims"] = int64_t{1};
  const NodeId less = context.call(node, "subtract", {x, context.call(node, "max", {x}, kept)});
  const NodeId sum = context.call(node, "sum", {context.call(node, "exp", {less})}, attributes);
  return context.call(node, "add", {context.call(node, "log", {sum}), context.call(node, "max", {x}, attributes)});
}

}  // namespace

NodeId convert_reduce(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const std::vector<int64_t> axes = reduced_axes(context, node, x);
  const Attributes attributes{{"axes", axes}, {"keepdims", node.read_int("keepdims", 1)}};
  if (axes.empty()) {
    return x;
  }
  const std::string op = node.op();
  return context.call(node,
                      op == "ReduceMax"    ? "max"
                      : op == "ReduceMin"  ? "min"
                      : op == "ReduceProd" ? "prod"
                                           : "sum",
                      {x}, attributes);
}

NodeId convert_reduce_function(ImportContext& context, OnnxNode& node) {
  const std::string op = node.op();
  NodeId x = context.input(node, 0);
  const Attributes attributes{{"axes", reduced_axes(context, node, x)}, {"keepdims", node.read_int("keepdims", 1)}};
  node.check(!std::get<std::vector<int64_t>>(attributes.at("axes")).empty(), "reduces no axis; one or more work");
  if (op == "ReduceL1") {
    x = context.call(node, "abs", {x});
  } else if (op == "ReduceL2" || op == "ReduceSumSquare") {
    x = context.call(node, "multiply", {x, x});
  } else if (op == "ReduceLogSumExp") {
    return add_log_sum_exp(context, node, x, attributes);
  }
  const NodeId sum = context.call(node, "sum", {x}, attributes);
  return op == "ReduceL2"       ? context.call(node, "sqrt", {sum})
         : op == "ReduceLogSum" ? context.call(node, "log", {sum})
                                : sum;
}

NodeId convert_cumsum(ImportContext& context, OnnxNode& node) {
  const std::vector<int64_t> axis = context.ints_input(node, 1);
  node.check(axis.size() == 1, "axis of CumSum must be one number");
  return context.call(
      node, "cumsum", {context.input(node, 0)},
      {{"axis", axis[0]}, {"exclusive", node.read_int("exclusive", 0)}, {"reverse", node.read_int("reverse", 0)}});
}

}  // namespace fovea
