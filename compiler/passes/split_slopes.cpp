// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies the product and what is behind it, and gives each its quantize.
#include "split_slopes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "ir/quantization.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// The quantize to bytes of one scale that reads a value, maybe behind max-pools and clips; null where there is none.
const Node* quantize_of(const Graph& graph, NodeId id) {
  while (graph.is_read_once(id)) {
    const NodeId reader = graph.users()[id][0];
    const Node& next = graph[reader];
    if (is_call(next, "qnn.quantize")) {
      const bool is_one = has_constant_quantization(graph, next) && read_quantization(graph, next).is_per_tensor() &&
                          next.type.element == ElementType::kUint8;
      return is_one ? &next : nullptr;
    }
    if (!is_call(next, "nn.max_pool2d") && !is_call(next, "clip") && !is_call(next, "nn.relu")) {
      return nullptr;
    }
    id = reader;
  }
  return nullptr;
}

/// Place of the only input that is no constant; nothing where there are more or none.
std::optional<std::size_t> only_value(const Graph& graph, const Node& node) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!graph.is_constant(node.inputs[i])) {
      if (place) {
        return std::nullopt;
      }
      place = i;
    }
  }
  return place;
}

/// The nodes from a product of a dequantized value and dequantized weights to `end`, each read by the next alone; empty
/// where there are none.
std::vector<NodeId> chain_to(const Graph& graph, NodeId end) {
  constexpr std::string_view kSteps[] = {"nn.bias_add", "nn.batch_norm", "add", "subtract", "multiply", "divide"};
  std::vector<NodeId> chain;
  for (NodeId id = end; graph.is_read_once(id);) {
    const Node& node = graph[id];
    const std::optional<std::size_t> value = only_value(graph, node);
    if (node.kind != NodeKind::kCall || !value) {
      return {};
    }
    chain.insert(chain.begin(), id);
    if (is_call(node, "nn.conv2d") || is_call(node, "nn.dense")) {
      const bool is_quantized =
          is_call(graph[node.inputs[0]], "qnn.dequantize") && is_call(graph[node.inputs[1]], "qnn.dequantize");
      return is_quantized ? chain : std::vector<NodeId>();
    }
    if (std::ranges::none_of(kSteps, [&](std::string_view step) { return is_call(node, step); })) {
      return {};
    }
    id = node.inputs[*value];
  }
  return {};
}

/// The slopes of a leaky ReLU or PRelu; null where it is neither, or a slope is not above 0 and up to 1.
std::shared_ptr<const Tensor> slopes_of(const Graph& graph, const Node& node) {
  std::shared_ptr<const Tensor> slopes;
  if (is_call(node, "leaky_relu")) {
    slopes = std::make_shared<Tensor>(Tensor::of<float>({}, {static_cast<float>(float_attribute(node, "alpha", 0))}));
  } else if (is_call(node, "nn.prelu") && graph.is_constant(node.inputs[1])) {
    slopes = constant_value(graph, node.inputs[1]);
  }
  const auto is_slope = [](float slope) { return slope > 0 && slope <= 1; };
  return slopes && std::ranges::all_of(slopes->values<float>(), is_slope) ? slopes : nullptr;
}

}  // namespace

Graph split_slopes(const Graph& graph) {
  std::vector<std::vector<NodeId>> inputs_of(graph.size());  // In the new graph.
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    inputs_of[id] = inputs;
    const Node& node = graph[id];
    const auto slopes = slopes_of(graph, node);
    const Node* quantize = slopes ? quantize_of(graph, id) : nullptr;
    const std::vector<NodeId> chain = quantize == nullptr ? std::vector<NodeId>() : chain_to(graph, node.inputs[0]);
    if (chain.empty()) {
      return std::optional<NodeId>();
    }
    NodeId copy = 0;
    for (const NodeId step : chain) {
      std::vector<NodeId> read = inputs_of[step];
      if (step != chain.front()) {
        read[*only_value(graph, graph[step])] = copy;
      }
      Node nameless = graph[step];  // The file has no such value.
      nameless.origin.clear();
      copy = builder.copy(nameless, read);
    }
    const NodeId lower = builder.call("multiply", {copy, builder.constant(slopes)});
    const NodeId scale = builder.constant(constant_value(graph, quantize->inputs[1]));
    const NodeId zero_point = builder.constant(constant_value(graph, quantize->inputs[2]));
    const auto rounded = [&](NodeId value, const std::string& origin) {
      const NodeId q = builder.call("qnn.quantize", {value, scale, zero_point}, quantize->attributes, origin);
      return builder.call("qnn.dequantize", {q, scale, zero_point}, quantize->attributes, origin);
    };
    const NodeId a = rounded(inputs[0], ""), b = rounded(lower, "");
    return std::optional(rounded(builder.call("maximum", {a, b}, {}, node.origin), quantize->origin));
  });
}

}  // namespace fovea
