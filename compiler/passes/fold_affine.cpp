// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks from a product to the last operator that scales or moves its filters, in double.
#include "fold_affine.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "affine_chain.h"
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
      is_bias ? constant_value(graph, node.inputs[1]) : operand_a_filter(graph, node, *affine_value(graph, node));
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
        affine_value(graph, node) && is_quantized_again(graph, id) && !affine_value(graph, graph[graph.users()[id][0]]);
    const auto chain = is_end ? find_affine_chain(graph, id) : std::nullopt;
    const auto is_bias = [&](NodeId step) { return is_call(graph[step], "nn.bias_add"); };
    if (!chain || std::ranges::all_of(chain->steps, is_bias)) {
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
