// SPDX-License-Identifier: Apache-2.0
/// \file
/// NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss: what networks end in that were exported with their loss.
#include <numeric>

#include "converters.h"

namespace fovea {
namespace {

NodeId add_number(ImportContext& context, const OnnxNode& node, ElementType element, int64_t number) {
  Tensor tensor({{}, element});
  tensor.set(0, static_cast<double>(number));
  return context.builder.constant(std::move(tensor), node.name());
}

NodeId add_whole_sum(ImportContext& context, const OnnxNode& node, NodeId x) {
  std::vector<int64_t> axes(context.shape(x).size());
  std::iota(axes.begin(), axes.end(), 0);
  return context.call(node, "sum", {x}, {{"axes", axes}, {"keepdims", int64_t{0}}});
}

/// Of log-probabilities [N, C, ...] and classes [N, ...]: the negative of each class's, times its weight, which are
/// the node's third input; that of a class to be ignored is 0.
NodeId add_loss(ImportContext& context, OnnxNode& node, NodeId log_probability) {
  NodeId classes = context.input(node, 1);
  const TensorType target = context.type(classes);
  std::optional<NodeId> weights, ignored;
  if (node.has_attribute("ignore_index")) {
    const NodeId index = add_number(context, node, target.element, node.read_int("ignore_index", 0));
    ignored = context.call(node, "equal", {classes, index});
    classes = context.call(node, "where", {*ignored, add_number(context, node, target.element, 0), classes});
  }
  if (node.has_input(2)) {
    weights = context.call(node, "gather", {context.input(node, 2), classes}, {{"axis", int64_t{0}}});
  }
  if (ignored) {
    const NodeId weight = weights.value_or(add_number(context, node, ElementType::kFloat32, 1));
    weights = context.call(node, "where", {*ignored, add_number(context, node, ElementType::kFloat32, 0), weight});
  }
  Shape one_class = target.shape;
  node.check(!one_class.empty(), "classes must be [N, ...], not one number");
  one_class.insert(one_class.begin() + 1, 1);
  const NodeId places = context.call(node, "reshape", {classes}, {{"newshape", one_class}});
  NodeId loss = context.call(node, "gather_elements", {log_probability, places}, {{"axis", int64_t{1}}});
  loss = context.call(node, "negative", {context.call(node, "reshape", {loss}, {{"newshape", target.shape}})});
  loss = weights ? context.call(node, "multiply", {loss, *weights}) : loss;
  const std::string reduction = node.read_text("reduction", "mean");
  node.check(reduction == "none" || reduction == "sum" || reduction == "mean",
             "reduction=" + reduction + " is not supported; none, sum and mean are");
  if (reduction == "none") {
    return loss;
  }
  const NodeId sum = add_whole_sum(context, node, loss);
  if (reduction == "sum") {
    return sum;
  }
  const NodeId whole = weights ? add_whole_sum(context, node, *weights)
                               : add_number(context, node, ElementType::kFloat32, count_elements(target.shape));
  return context.call(node, "divide", {sum, whole});
}

}  // namespace

NodeId convert_negative_log_likelihood_loss(ImportContext& context, OnnxNode& node) {
  return add_loss(context, node, context.input(node, 0));
}

NodeId convert_softmax_cross_entropy_loss(ImportContext& context, OnnxNode& node) {
  const NodeId log_probability = context.call(node, "nn.log_softmax", {context.input(node, 0)}, {{"axis", int64_t{1}}});
  const std::vector<std::string> outputs = node.outputs();
  if (outputs.size() > 1 && !outputs[1].empty()) {
    context.define(outputs[1], log_probability);
  }
  return add_loss(context, node, log_probability);
}

}  // namespace fovea
