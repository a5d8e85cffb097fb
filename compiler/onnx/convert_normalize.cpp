// SPDX-License-Identifier: Apache-2.0
/// \file
/// InstanceNormalization, LayerNormalization, LRN, RMSNormalization.
#include <numeric>

#include "converters.h"

namespace fovea {
namespace {

NodeId constant_of(ImportContext& context, const OnnxNode& node, const Shape& shape, float value) {
  const std::vector<float> values(static_cast<std::size_t>(count_elements(shape)), value);
  return context.builder.constant(Tensor::of<float>(shape, values), node.name());
}

std::vector<int64_t> axes_from(std::size_t axis, std::size_t rank) {
  std::vector<int64_t> axes(rank - axis);
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(axis));
  return axes;
}

/// The mean of x along `axes`, which become 1.
NodeId add_mean(ImportContext& context, const OnnxNode& node, NodeId x, const std::vector<int64_t>& axes) {
  const NodeId sum = context.call(node, "sum", {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  const int64_t count = count_elements(context.shape(x)) / count_elements(context.shape(sum));
  return context.call(node, "divide", {sum, constant_of(context, node, {}, static_cast<float>(count))});
}

/// LayerNormalization's second and third output, where they are asked for: the mean and 1 / sqrt(variance + epsilon).
void define_mean_and_deviation(ImportContext& context, const OnnxNode& node, NodeId x, std::size_t axis,
                               float epsilon) {
  const std::vector<std::string> names = node.outputs();
  const auto is_asked = [&](std::size_t i) { return i < names.size() && !names[i].empty(); };
  if (!is_asked(1) && !is_asked(2)) {
    return;
  }
  const std::vector<int64_t> axes = axes_from(axis, context.shape(x).size());
  const NodeId mean = add_mean(context, node, x, axes);
  if (is_asked(1)) {
    context.define(names[1], mean);
  }
  if (is_asked(2)) {
    const NodeId less = context.call(node, "subtract", {x, mean});
    const NodeId variance = add_mean(context, node, context.call(node, "multiply", {less, less}), axes);
    const NodeId sum = context.call(node, "add", {variance, constant_of(context, node, {}, epsilon)});
    context.define(names[2], context.call(node, "reciprocal", {context.call(node, "sqrt", {sum})}));
  }
}

}  // namespace

NodeId convert_instance_normalization(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), gamma = context.input(node, 1), beta = context.input(node, 2);
  return context.call(node, "nn.instance_norm", {x, gamma, beta},
                      {{"epsilon", double{node.read_float("epsilon", 1e-5F)}}});
}

NodeId convert_layer_normalization(ImportContext& context, OnnxNode& node) {
  node.require_int("stash_type", 1);
  const NodeId x = context.input(node, 0), gamma = context.input(node, 1);
  const std::size_t axis = node.normalize_axis(node.read_int("axis", -1), context.shape(x).size());
  const auto given = context.optional_input(node, 2);
  const NodeId beta = given ? *given : constant_of(context, node, context.shape(gamma), 0);
  const float epsilon = node.read_float("epsilon", 1e-5F);
  define_mean_and_deviation(context, node, x, axis, epsilon);
  return context.call(node, "nn.layer_norm", {x, gamma, beta},
                      {{"axis", static_cast<int64_t>(axis)}, {"epsilon", double{epsilon}}});
}

NodeId convert_lrn(ImportContext& context, OnnxNode& node) {
  node.check(node.has_attribute("size"), "has no size");
  return context.call(node, "nn.lrn", {context.input(node, 0)},
                      {{"size", node.read_int("size", 1)},
                       {"alpha", double{node.read_float("alpha", 1e-4F)}},
                       {"beta", double{node.read_float("beta", 0.75F)}},
                       {"bias", double{node.read_float("bias", 1)}}});
}

/// x / sqrt(mean(x * x) + epsilon) * scale, the mean along all axes from the node's on.
NodeId convert_rms_normalization(ImportContext& context, OnnxNode& node) {
  node.require_int("stash_type", 1);
  const NodeId x = context.input(node, 0), scale = context.input(node, 1);
  const std::size_t rank = context.shape(x).size();
  const std::vector<int64_t> axes = axes_from(node.normalize_axis(node.read_int("axis", -1), rank), rank);
  const NodeId squares = add_mean(context, node, context.call(node, "multiply", {x, x}), axes);
  const NodeId epsilon = context.number(node, node.read_float("epsilon", 1e-5F));
  const NodeId root = context.call(node, "sqrt", {context.call(node, "add", {squares, epsilon})});
  return context.call(node, "multiply", {context.call(node, "divide", {x, root}), scale});
}

}  // namespace fovea
