// SPDX-License-Identifier: Apache-2.0
/// \file
/// Activation functions that have attributes, PRelu, Softmax, Hardmax; ArgMax, ArgMin, TopK.
#include <algorithm>
#include <array>
#include <numeric>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

struct FloatAttribute {
  const char* name;
  float fallback;
};

/// A function of one number whose attributes have their names in the IR too.
struct UnaryRow {
  std::string_view onnx, op;
  std::vector<FloatAttribute> attributes;
};

const std::array kUnaryRows{
    UnaryRow{"Celu", "celu", {{"alpha", 1}}},
    UnaryRow{"Elu", "elu", {{"alpha", 1}}},
    UnaryRow{"HardSigmoid", "hard_sigmoid", {{"alpha", 0.2F}, {"beta", 0.5F}}},
    UnaryRow{"LeakyRelu", "leaky_relu", {{"alpha", 0.01F}}},
    UnaryRow{"Selu", "selu", {{"alpha", 1.67326319217681884765625F}, {"gamma", 1.05070102214813232421875F}}},
    UnaryRow{"Shrink", "shrink", {{"lambd", 0.5F}, {"bias", 0}}},
    UnaryRow{"ThresholdedRelu", "thresholded_relu", {{"alpha", 1}}},
};

}  // namespace

NodeId convert_unary(ImportContext& context, OnnxNode& node) {
  const auto row =
      std::find_if(kUnaryRows.begin(), kUnaryRows.end(), [&](const UnaryRow& r) { return r.onnx == node.op(); });
  Attributes attributes;
  for (const FloatAttribute& attribute : row->attributes) {
    attributes[attribute.name] = double{node.read_float(attribute.name, attribute.fallback)};
  }
  return context.call(node, row->op, {context.input(node, 0)}, attributes);
}

NodeId convert_arg_max(ImportContext& context, OnnxNode& node) {
  return context.call(node, node.op() == "ArgMax" ? "argmax" : "argmin", {context.input(node, 0)},
                      {{"axis", node.read_int("axis", 0)},
                       {"keepdims", node.read_int("keepdims", 1)},
                       {"select_last", node.read_int("select_last_index", 0)}});
}

/// Indices are those of the ranks 0 to k - 1, and values what is there.
NodeId convert_top_k(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const std::vector<int64_t> k =
      context.opset < 10 ? std::vector<int64_t>{node.read_int("k", 0)} : context.ints_input(node, 1);
  node.check(k.size() == 1, "k of TopK must be one number");
  const int64_t axis = node.read_int("axis", -1), largest = node.read_int("largest", 1);
  node.read_int("sorted", 1);  // Of any order, this is one.
  const NodeId ranks = context.call(node, "rank", {x}, {{"axis", axis}, {"largest", largest}});
  const NodeId indices = context.call(node, "topk", {ranks}, {{"axis", axis}, {"k", k[0]}});
  if (const std::vector<std::string> names = node.outputs(); names.size() > 1 && !names[1].empty()) {
    context.define(names[1], indices);
  }
  return context.call(node, "gather_elements", {x, indices}, {{"axis", axis}});
}

NodeId convert_gelu(ImportContext& context, OnnxNode& node) {
  const std::string approximate = node.read_text("approximate", "none");
  node.check(approximate == "none" || approximate == "tanh",
             "approximate=" + approximate + " is not supported; none and tanh are");
  return context.call(node, approximate == "tanh" ? "gelu_tanh" : "gelu", {context.input(node, 0)});
}

/// Swish and QuickGelu: x * sigmoid(alpha * x).
NodeId convert_swish(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const float alpha = node.read_float("alpha", node.op() == "Swish" ? 1 : 1.702F);
  return context.call(node, "multiply", {x, context.call(node, "sigmoid", {scaled(context, node, x, alpha)})});
}

/// The slope is folded, so that a quantized one is a number as well.
NodeId convert_prelu(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Tensor slope = context.constant_input(node, 1);
  if (count_elements(slope.type().shape) == 1) {
    return context.call(node, "leaky_relu", {x}, {{"alpha", slope.at(0)}});
  }
  return context.call(node, "nn.prelu", {x, context.builder.constant(slope, node.name())});
}

namespace {

/// 1 where the first of the largest elements along an axis is, 0 elsewhere.
NodeId add_hardmax(ImportContext& context, const OnnxNode& node, NodeId x, int64_t axis) {
  const NodeId largest =
      context.call(node, "argmax", {x}, {{"axis", axis}, {"keepdims", int64_t{1}}, {"select_last", int64_t{0}}});
  const auto along = static_cast<std::size_t>(axis);
  return add_one_hot(context, node, largest, along, context.shape(x)[along], context.number(node, 1),
                     context.number(node, 0));
}

/// nn.softmax, nn.log_softmax, or "hardmax": of several axes as one until opset 12.
NodeId add_along_axis(ImportContext& context, OnnxNode& node, NodeId x, int64_t opset, std::string_view op) {
  const Shape shape = context.shape(x);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t given = node.read_int("axis", opset < 13 ? 1 : -1), axis = given < 0 ? given + rank : given;
  node.check(axis >= 0 && axis < rank, "axis " + std::to_string(given) + " is outside the shape " + to_text(shape));
  const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto add = [&](NodeId values) {
    return op == "hardmax" ? add_hardmax(context, node, values, axis)
                           : context.call(node, op, {values}, {{"axis", axis}});
  };
  if (opset >= 13 || count_elements({first, shape.end()}) == *first) {
    return add(x);
  }
  Shape joined(shape.begin(), first);
  joined.push_back(count_elements({first, shape.end()}));
  const NodeId flat = context.call(node, "reshape", {x}, {{"newshape", joined}});
  return context.call(node, "reshape", {add(flat)}, {{"newshape", shape}});
}

}  // namespace

NodeId add_softmax(ImportContext& context, OnnxNode& node, NodeId x, int64_t opset) {
  return add_along_axis(context, node, x, opset, "nn.softmax");
}

NodeId convert_log_softmax(ImportContext& context, OnnxNode& node) {
  return add_along_axis(context, node, context.input(node, 0), context.opset, "nn.log_softmax");
}

NodeId convert_hardmax(ImportContext& context, OnnxNode& node) {
  return add_along_axis(context, node, context.input(node, 0), context.opset, "hardmax");
}

NodeId convert_softmax(ImportContext& context, OnnxNode& node) {
  return add_softmax(context, node, context.input(node, 0), context.opset);
}

}  // namespace fovea
