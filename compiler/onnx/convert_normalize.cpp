// SPDX-License-Identifier: Apache-2.0
/// \file
/// InstanceNormalization, LayerNormalization, LRN.
#include "converters.h"

namespace fovea {
namespace {

NodeId constant_of(ImportContext& context, const OnnxNode& node, const Shape& shape, float value) {
  const std::vector<float> values(static_cast<std::size_t>(count_elements(shape)), value);
  return context.builder.constant(Tensor::of<float>(shape, values), node.name());
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
  std::vector<int64_t> axes;
  for (std::size_t i = axis; i < context.shape(x).size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
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

}  // namespace fovea
