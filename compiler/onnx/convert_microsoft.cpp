// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float operators that ONNX Runtime's optimizer writes into a file, as what they stand for: Gelu, BiasGelu, FastGelu,
/// FusedConv, FusedMatMul, SkipLayerNormalization.
#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

/// `sum`, with those of the node's inputs added that are given.
NodeId sum_of_inputs(ImportContext& context, const OnnxNode& node, NodeId sum, const std::vector<int>& places) {
  for (const int place : places) {
    if (const auto term = context.optional_input(node, place)) {
      sum = context.call(node, "add", {sum, *term});
    }
  }
  return sum;
}

/// The activation that a fused operator ends with, with its own defaults for parameters that are not given.
NodeId add_activation(ImportContext& context, OnnxNode& node, NodeId x) {
  const std::string activation = node.read_text("activation", "");
  const std::vector<float> given =
      node.has_attribute("activation_params") ? node.read_floats("activation_params") : std::vector<float>{};
  const auto parameter = [&](std::size_t place) {
    node.check(place < given.size(), "activation=" + activation + " needs " + std::to_string(place + 1) +
                                         " activation_params; here are " + std::to_string(given.size()));
    return double{given[place]};
  };
  if (activation.empty()) {
    return x;
  }
  if (activation == "Relu") {
    return context.call(node, "nn.relu", {x});
  }
  if (activation == "Sigmoid" || activation == "Tanh") {
    return context.call(node, activation == "Tanh" ? "tanh" : "sigmoid", {x});
  }
  if (activation == "LeakyRelu") {
    return context.call(node, "leaky_relu", {x}, {{"alpha", parameter(0)}});
  }
  if (activation == "HardSigmoid") {
    return context.call(node, "hard_sigmoid", {x}, {{"alpha", parameter(0)}, {"beta", parameter(1)}});
  }
  node.check(activation == "Clip", "activation=" + activation +
                                       " is not supported; Relu, Sigmoid, Tanh, LeakyRelu, HardSigmoid and Clip are");
  return context.call(node, "clip", {x}, {{"min", parameter(0)}, {"max", parameter(1)}});
}

}  // namespace

/// Gelu and BiasGelu by the error function, FastGelu by tanh; of x and a bias, where one is given.
NodeId convert_bias_gelu(ImportContext& context, OnnxNode& node) {
  const NodeId x = sum_of_inputs(context, node, context.input(node, 0), {1});
  return context.call(node, node.op() == "com.microsoft.FastGelu" ? "gelu_tanh" : "gelu", {x});
}

/// A convolution, a tensor added to it where one is given, and an activation.
NodeId convert_fused_conv(ImportContext& context, OnnxNode& node) {
  const NodeId y = convert_conv(context, node);
  return add_activation(context, node, sum_of_inputs(context, node, y, {3}));
}

/// alpha * A * B, either with its last two axes exchanged.
NodeId convert_fused_mat_mul(ImportContext& context, OnnxNode& node) {
  NodeId a = context.input(node, 0), b = context.input(node, 1);
  node.require_int("transBatchA", 0);
  node.require_int("transBatchB", 0);
  a = node.read_int("transA", 0) != 0 ? transposed(context, node, a) : a;
  b = node.read_int("transB", 0) != 0 ? transposed(context, node, b) : b;
  return scaled(context, node, add_mat_mul(context, node, a, b), node.read_float("alpha", 1));
}

/// Layer normalization along the last axis of a sum: of x, skip, and a bias where one is given. The sum is the fourth
/// output.
NodeId convert_skip_layer_normalization(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), skip = context.input(node, 1), gamma = context.input(node, 2);
  const NodeId sum = sum_of_inputs(context, node, context.call(node, "add", {x, skip}), {4});
  if (const std::vector<std::string> names = node.outputs(); names.size() > 3 && !names[3].empty()) {
    context.define(names[3], sum);
  }
  const auto given = context.optional_input(node, 3);
  const NodeId beta = given ? *given : context.builder.constant(Tensor(context.type(gamma)), node.name());
  const auto axis = static_cast<int64_t>(context.shape(sum).size()) - 1;
  return context.call(node, "nn.layer_norm", {sum, gamma, beta},
                      {{"axis", axis}, {"epsilon", double{node.read_float("epsilon", 1e-12F)}}});
}

}  // namespace fovea
