// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks from a product to the last operator that scales or moves its filters, in double.
#include "fold_affine.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/quantization.h"
#include "ops/operator.h"
#include "rewrite.h"
#include "spec/dla_requant.h"

namespace fovea {
namespace {

/// Of each filter: factor * sum + offset.
struct Affine {
  std::vector<double> factor, offset;
};

bool is_product(const Node& node) { return is_call(node, "nn.conv2d") || is_call(node, "nn.dense"); }

/// A constant that an operator reads beside a value, one number or one a filter; null where it is another.
/// \param place  Of the value among the inputs.
std::shared_ptr<const Tensor> operand_a_filter(const Graph& graph, const Node& node, std::size_t place) {
  const NodeId id = node.inputs[1 - place];
  const auto operand = graph.is_constant(id) ? constant_value(graph, id) : nullptr;
  const Shape& x = node.type.shape;
  if (operand == nullptr || operand->type().element != ElementType::kFloat32 || x.size() < 2) {
    return nullptr;
  }
  const Shape& shape = operand->type().shape;
  const int64_t count = count_elements(shape);
  const std::size_t behind = x.size() - 2;
  const bool is_a_filter =
      shape.size() > behind && shape.size() <= x.size() && shape[shape.size() - behind - 1] == x[1];
  return count == 1 || (count == x[1] && is_a_filter) ? operand : nullptr;
}

bool is_combination(const Node& node) {
  return is_call(node, "add") || is_call(node, "subtract") || is_call(node, "multiply") || is_call(node, "divide");
}

/// Place of the value that a step computes from a product's; nothing where the operator is no step.
std::optional<std::size_t> find_value(const Graph& graph, const Node& node) {
  const auto is_constant = [&](NodeId input) { return graph.is_constant(input); };
  if (is_call(node, "nn.batch_norm") || (is_call(node, "nn.bias_add") && int_attribute(node, "axis", 1) == 1)) {
    const bool has_constants = std::all_of(node.inputs.begin() + 1, node.inputs.end(), is_constant);
    return has_constants ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (!is_combination(node)) {
    return std::nullopt;
  }
  const bool is_second = graph.is_constant(node.inputs[0]);
  const bool is_step = (!is_second || is_call(node, "add") || is_call(node, "multiply")) &&
                       operand_a_filter(graph, node, is_second ? 1 : 0) != nullptr;
  return is_step ? std::optional<std::size_t>(is_second ? 1 : 0) : std::nullopt;
}

void apply(const Graph& graph, const Node& node, Affine& y) {
  if (is_call(node, "nn.batch_norm")) {
    const auto parameter = [&](std::size_t input) { return constant_value(graph, node.inputs[input]); };
    const auto gamma = parameter(1), beta = parameter(2), mean = parameter(3), variance = parameter(4);
    const double epsilon = float_attribute(node, "epsilon", 0);
    for (std::size_t m = 0; m < y.factor.size(); ++m) {
      const double scale = gamma->at(m) / std::sqrt(variance->at(m) + epsilon);
      y.factor[m] *= scale;
      y.offset[m] = (y.offset[m] - mean->at(m)) * scale + beta->at(m);
    }
    return;
  }
  const bool is_bias = is_call(node, "nn.bias_add");
  const auto operand =
      is_bias ? constant_value(graph, node.inputs[1]) : operand_a_filter(graph, node, *find_value(graph, node));
  for (std::size_t m = 0; m < y.factor.size(); ++m) {
    const double value = operand->at(count_elements(operand->type().shape) == 1 ? 0 : m);
    if (is_bias || is_call(node, "add")) {
      y.offset[m] += value;
    } else if (is_call(node, "subtract")) {
      y.offset[m] -= value;
    } else {
      const double scale = is_call(node, "divide") ? 1 / value : value;
      y.factor[m] *= scale;
      y.offset[m] *= scale;
    }
  }
}

/// A product, and the steps behind it, the first of them first.
struct Chain {
  NodeId product = 0;
  std::vector<NodeId> steps;
};

/// The chain that ends with a value; nothing where none does, or where it has a bias alone.
std::optional<Chain> find_chain(const Graph& graph, NodeId end) {
  Chain chain;
  NodeId id = end;
  while (const auto value = find_value(graph, graph[id])) {
    chain.steps.insert(chain.steps.begin(), id);
    id = graph[id].inputs[*value];
    if (!graph.is_read_once(id)) {
      return std::nullopt;
    }
  }
  const bool has_biases_only =
      std::ranges::all_of(chain.steps, [&](NodeId step) { return is_call(graph[step], "nn.bias_add"); });
  if (has_biases_only || !is_product(graph[id])) {
    return std::nullopt;
  }
  chain.product = id;
  return chain;
}

/// int8 weights around 0, one scale or one a filter, of a value that was dequantized.
bool is_quantized(const Graph& graph, const Node& product) {
  const Node &x = graph[product.inputs[0]], &w = graph[product.inputs[1]];
  if (!is_call(x, "qnn.dequantize") || !is_call(w, "qnn.dequantize") || !has_constant_quantization(graph, w) ||
      graph[w.inputs[0]].kind != NodeKind::kConstant) {
    return false;
  }
  const Quantization q = read_quantization(graph, w);
  return q.element == ElementType::kInt8 && is_per_filter(q, w.type.shape.size()) &&
         std::ranges::all_of(q.zero_points, [](int64_t zero_point) { return zero_point == 0; });
}

/// Weights and their scales; nothing where they can be none.
struct Scaled {
  Tensor weights, scales;
};

std::optional<Scaled> scale_weights(const Graph& graph, const Node& w, const Affine& y) {
  const Quantization q = read_quantization(graph, w);
  const auto filters = static_cast<int64_t>(y.factor.size());
  Scaled scaled{*graph[w.inputs[0]].constant, Tensor({{filters}, ElementType::kFloat32})};
  const std::span<int8_t> weights = scaled.weights.values<int8_t>();
  const std::size_t taps = weights.size() / y.factor.size();
  for (std::size_t m = 0; m < y.factor.size(); ++m) {
    const float given = q.scales[m % q.scales.size()];
    const auto scale = static_cast<float>(std::abs(given * y.factor[m]));
    scaled.scales.set(m, y.factor[m] == 0 ? given : scale);
    if (!dla_is_scale(static_cast<float>(scaled.scales.at(m))) || !std::isfinite(y.offset[m])) {
      return std::nullopt;
    }
    for (int8_t& weight : weights.subspan(m * taps, taps)) {
      if (y.factor[m] < 0 && weight == INT8_MIN) {
        return std::nullopt;
      }
      weight = static_cast<int8_t>(y.factor[m] == 0 ? 0 : y.factor[m] < 0 ? -weight : weight);
    }
  }
  return scaled;
}

}  // namespace

Graph fold_affine(const Graph& graph) {
  std::map<NodeId, NodeId> product_inputs;
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (is_product(node)) {
      product_inputs[id] = inputs[0];
    }
    const bool is_end =
        find_value(graph, node) && is_quantized_again(graph, id) && !find_value(graph, graph[graph.users()[id][0]]);
    const auto chain = is_end ? find_chain(graph, id) : std::nullopt;
    if (!chain || !is_quantized(graph, graph[chain->product])) {
      return std::optional<NodeId>();
    }
    const Node &product = graph[chain->product], &w = graph[product.inputs[1]];
    const auto filters = static_cast<std::size_t>(w.type.shape.at(0));
    Affine y{std::vector<double>(filters, 1), std::vector<double>(filters, 0)};
    for (const NodeId step : chain->steps) {
      apply(graph, graph[step], y);
    }
    auto scaled = scale_weights(graph, w, y);
    if (!scaled) {
      return std::optional<NodeId>();
    }
    Tensor bias({{static_cast<int64_t>(filters)}, ElementType::kFloat32});
    for (std::size_t m = 0; m < filters; ++m) {
      bias.set(m, y.offset[m]);
    }
    const NodeId q = builder.constant(std::move(scaled->weights), graph[w.inputs[0]].origin);
    const NodeId scale = builder.constant(std::move(scaled->scales), node.origin);
    const NodeId zero = builder.constant(Tensor({{static_cast<int64_t>(filters)}, ElementType::kInt8}), node.origin);
    const NodeId weights = builder.call("qnn.dequantize", {q, scale, zero}, {{"axis", int64_t{0}}}, w.origin);
    const NodeId sum = builder.copy(product, {product_inputs.at(chain->product), weights});
    return std::optional(builder.call("nn.bias_add", {sum, builder.constant(std::move(bias), node.origin)},
                                      {{"axis", int64_t{1}}}, node.origin));
  });
}

}  // namespace fovea
