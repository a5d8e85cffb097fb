// SPDX-License-Identifier: Apache-2.0
/// \file
/// Add, Max, Min, Pow, Clip, BatchNormalization, and what changes nothing: Identity, Dropout.
#include <algorithm>
#include <limits>

#include "converters.h"
#include "ops/broadcast.h"
#include "ops/operator.h"
#include "products.h"

namespace fovea {
namespace {

/// Whether `addend` gives each channel (axis 1) of `shape` one number: [M] for [N, M], [M, 1, 1] for [N, M, E, F].
bool is_one_a_channel(const Shape& addend, const Shape& shape) {
  if (shape.size() < 2 || addend.size() > shape.size() || count_elements(addend) != shape[1]) {
    return false;
  }
  const std::size_t missing = shape.size() - addend.size();
  return missing <= 1 && addend[1 - missing] == shape[1];
}

/// A constant with one number a channel, added to a product, is a bias; nothing else is.
std::optional<NodeId> add_bias(ImportContext& context, const OnnxNode& node, NodeId x, NodeId addend) {
  const Node& product = context.builder[x];
  if (!is_product(product) || !is_one_a_channel(context.shape(addend), context.shape(x)) ||
      !context.is_constant(addend)) {
    return std::nullopt;
  }
  if (context.type(addend).element != ElementType::kFloat32) {
    return std::nullopt;
  }
  if (context.shape(addend).size() != 1) {
    addend = context.move_elements(node, "reshape", addend, {{"newshape", std::vector<int64_t>{context.shape(x)[1]}}});
  }
  return context.call(node, "nn.bias_add", {x, addend}, {{"axis", int64_t{1}}});
}

/// The operator applied to the first two inputs, to that and the third, ...
NodeId add_one_by_one(ImportContext& context, OnnxNode& node, const std::string& op) {
  NodeId result = context.input(node, 0);
  for (int place = 1; place < static_cast<int>(node.inputs().size()); ++place) {
    result = context.call(node, op, {result, context.input(node, place)});
  }
  return result;
}

/// A bound of Clip: attribute until opset 10, input from 11; `fallback` where not given.
double read_bound(ImportContext& context, OnnxNode& node, const std::string& attribute, int input, float fallback) {
  if (!node.has_input(input)) {
    return node.read_float(attribute, fallback);
  }
  const Tensor bound = context.constant_input(node, input);
  node.check(count_elements(bound.type().shape) == 1, attribute + " of Clip must be one number");
  return bound.at(0);
}

}  // namespace

NodeId add_sum(ImportContext& context, const OnnxNode& node, NodeId a, NodeId b) {
  if (is_first_broadcast(context.shape(a), context.shape(b))) {
    std::swap(a, b);
  }
  return context.call(node, "add", {a, b});
}

NodeId convert_add(ImportContext& context, OnnxNode& node) {
  const NodeId a = context.input(node, 0), b = context.input(node, 1);
  if (const auto sum = add_bias(context, node, a, b)) {
    return *sum;
  }
  if (const auto sum = add_bias(context, node, b, a)) {
    return *sum;
  }
  return add_sum(context, node, a, b);
}

NodeId convert_max(ImportContext& context, OnnxNode& node) { return add_one_by_one(context, node, "maximum"); }

NodeId convert_min(ImportContext& context, OnnxNode& node) { return add_one_by_one(context, node, "minimum"); }

NodeId convert_sum(ImportContext& context, OnnxNode& node) { return add_one_by_one(context, node, "add"); }

NodeId convert_mean(ImportContext& context, OnnxNode& node) {
  const NodeId sum = convert_sum(context, node);
  const auto count = static_cast<float>(node.inputs().size());
  return context.call(node, "divide", {sum, context.number(node, count)});
}

NodeId convert_clip(ImportContext& context, OnnxNode& node) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const NodeId x = context.input(node, 0);
  const double least = read_bound(context, node, "min", 1, -kMost), most = read_bound(context, node, "max", 2, kMost);
  if (least == 0 && most >= kMost) {
    return context.call(node, "nn.relu", {x});
  }
  return context.call(node, "clip", {x}, {{"min", least}, {"max", most}});
}

NodeId convert_batch_normalization(ImportContext& context, OnnxNode& node) {
  node.require_int("training_mode", 0);
  node.require_int("spatial", 1);     // Until opset 8.
  node.read_float("momentum", 0.9F);  // Only training uses it.
  std::vector<NodeId> inputs{context.input(node, 0)};
  for (int place = 1; place < 5; ++place) {
    inputs.push_back(context.constant_value_input(node, place));
  }
  // As a 1-D convolution before it.
  const std::size_t rank = context.shape(inputs[0]).size();
  inputs[0] = rank == 3 ? with_rows(context, node, inputs[0]) : inputs[0];
  const Attributes attributes{{"epsilon", double{node.read_float("epsilon", 1e-5F)}}};
  return with_rank(context, node, context.call(node, "nn.batch_norm", inputs, attributes), rank);
}

/// Powers are of float32; integers are made such, up to 2^24 exactly. The result is of the base's type.
NodeId convert_pow(ImportContext& context, OnnxNode& node) {
  const NodeId base = context.input(node, 0), exponent = context.input(node, 1);
  const auto cast = [&](NodeId x, ElementType to) {
    const bool is_it = context.type(x).element == to;
    return is_it ? x : context.call(node, "cast", {x}, {{"dtype", std::string(to_text(to))}});
  };
  const NodeId power =
      context.call(node, "power", {cast(base, ElementType::kFloat32), cast(exponent, ElementType::kFloat32)});
  return cast(power, context.type(base).element);
}

/// With fmod=1 the sign of the dividend, else of the divisor.
NodeId convert_mod(ImportContext& context, OnnxNode& node) {
  const NodeId a = context.input(node, 0), b = context.input(node, 1);
  node.check(context.type(a).element != ElementType::kFloat32, "Mod of float32 is not supported; of integers it is");
  return context.call(node, node.read_int("fmod", 0) != 0 ? "remainder" : "modulo", {a, b});
}

NodeId convert_neg(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  if (context.type(x).element == ElementType::kFloat32) {
    return context.call(node, "negative", {x});
  }
  const NodeId zero = context.builder.constant(Tensor({{}, context.type(x).element}), node.name());
  return context.call(node, "subtract", {zero, x});
}

NodeId convert_is_nan(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  return context.call(node, "logical_not", {context.call(node, "equal", {x, x})});
}

NodeId convert_is_inf(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const bool detects_negative = node.read_int("detect_negative", 1) != 0;
  const bool detects_positive = node.read_int("detect_positive", 1) != 0;
  node.check(detects_negative || detects_positive, "IsInf must detect infinities of at least one sign");
  const float most = std::numeric_limits<float>::max();
  if (!detects_positive) {
    return context.call(node, "less", {x, context.number(node, -most)});
  }
  return context.call(node, "greater",
                      {detects_negative ? context.call(node, "abs", {x}) : x, context.number(node, most)});
}

NodeId convert_identity(ImportContext& context, OnnxNode& node) { return context.input(node, 0); }

NodeId convert_dropout(ImportContext& context, OnnxNode& node) {
  node.read_float("ratio", 0.5F);  // Only training drops anything.
  node.has_input(1);               // The ratio, from opset 12.
  node.read_int("seed", 0);
  const bool is_training = node.has_input(2) && context.constant_input(node, 2).at(0) != 0;
  const auto drops = [&] { return !node.has_input(1) || context.constant_input(node, 1).at(0) != 0; };
  node.check(!is_training || !drops(), "Dropout in training mode is not supported; export the model for inference");
  const NodeId x = context.input(node, 0);
  const std::vector<std::string> outputs = node.outputs();
  if (outputs.size() > 1 && !outputs[1].empty()) {  // What is kept: everything.
    const ElementType element = context.opset < 10 ? context.type(x).element : ElementType::kBool;
    context.define(
        outputs[1],
        context.call(node, "full", {},
                     {{"shape", context.shape(x)}, {"value", 1.0}, {"dtype", std::string(to_text(element))}}));
  }
  return x;
}

}  // namespace fovea
