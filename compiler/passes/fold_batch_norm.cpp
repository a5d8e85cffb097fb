// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales filters and biases, in double.
#include "fold_batch_norm.h"

#include <cmath>

#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// A convolution, perhaps a bias, and a batch normalization in a row. `bias_add` is null where there is none.
struct NormalizedConv {
  const Node* conv = nullptr;
  const Node* bias_add = nullptr;
  const Node* norm = nullptr;
};

bool reads_constants(const Graph& graph, const Node& call) {
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    if (graph[call.inputs[i]].kind != NodeKind::kConstant) {
      return false;
    }
  }
  return true;
}

std::optional<NormalizedConv> find_conv(const Graph& graph, const Node& norm) {
  if (!is_call(norm, "nn.batch_norm") || !reads_constants(graph, norm)) {
    return std::nullopt;
  }
  NormalizedConv found;
  found.norm = &norm;
  NodeId id = norm.inputs[0];
  if (is_call(graph[id], "nn.bias_add") && graph.is_read_once(id) && reads_constants(graph, graph[id])) {
    found.bias_add = &graph[id];
    id = found.bias_add->inputs[0];
  }
  if (!is_call(graph[id], "nn.conv2d") || !graph.is_read_once(id) || !reads_constants(graph, graph[id])) {
    return std::nullopt;
  }
  found.conv = &graph[id];
  return found;
}

/// w' and b'.
std::pair<Tensor, Tensor> fold_parameters(const Graph& graph, const NormalizedConv& found) {
  const auto parameter = [&](std::size_t input) { return graph[found.norm->inputs[input]].constant->values<float>(); };
  const auto gamma = parameter(1), beta = parameter(2), mean = parameter(3), variance = parameter(4);
  const double epsilon = float_attribute(*found.norm, "epsilon", 0);
  Tensor weight = *graph[found.conv->inputs[1]].constant;
  Tensor bias({{weight.type().shape[0]}, ElementType::kFloat32});
  const auto weights = weight.values<float>();
  const std::size_t taps = weights.size() / gamma.size();
  for (std::size_t m = 0; m < gamma.size(); ++m) {
    const double scale = gamma[m] / std::sqrt(variance[m] + epsilon);
    const double before = found.bias_add == nullptr ? 0 : graph[found.bias_add->inputs[1]].constant->at(m);
    for (std::size_t i = 0; i < taps; ++i) {
      weights[m * taps + i] = static_cast<float>(weights[m * taps + i] * scale);
    }
    bias.set(m, (before - mean[m]) * scale + beta[m]);
  }
  return {std::move(weight), std::move(bias)};
}

}  // namespace

Graph fold_batch_norm(const Graph& graph) {
  std::vector<NodeId> conv_inputs(graph.size());
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (is_call(node, "nn.conv2d")) {
      conv_inputs[id] = inputs[0];
    }
    const auto found = find_conv(graph, node);
    if (!found) {
      return std::optional<NodeId>();
    }
    auto [weight, bias] = fold_parameters(graph, *found);
    const NodeId conv_id = found->bias_add == nullptr ? node.inputs[0] : found->bias_add->inputs[0];
    const NodeId w = builder.constant(std::move(weight), graph[found->conv->inputs[1]].origin);
    const NodeId conv = builder.copy(*found->conv, {conv_inputs[conv_id], w});
    const NodeId b = builder.constant(std::move(bias), node.origin);
    return std::optional<NodeId>(builder.call("nn.bias_add", {conv, b}, {{"axis", int64_t{1}}}, node.origin));
  });
}

}  // namespace fovea
