// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies the product and what is behind it, and gives each its quantize.
#include "split_slopes.h"

#include <algorithm>

#include "affine_chain.h"
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
    if (!is_call(next, "nn.max_pool2d") && !is_clip(next)) {
      return nullptr;
    }
    id = reader;
  }
  return nullptr;
}

/// The slopes of a leaky ReLU or PRelu; null where it is neither, or a slope is not above 0 and up to 1.
std::shared_ptr<const Tensor> slopes_of(const Graph& graph, const Node& node) {
  std::shared_ptr<const Tensor> slopes;
  if (is_call(node, "leaky_relu")) {
    slopes = std::make_shared<Tensor>(Tensor::of<float>({}, {static_cast<float>(float_attribute(node, "alpha", 0))}));
  } else if (is_call(node, "nn.prelu")) {
    slopes = operand_a_filter(graph, node, 0);
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
    const bool may_be_one = quantize != nullptr && graph.is_read_once(node.inputs[0]);
    const auto chain = may_be_one ? find_affine_chain(graph, node.inputs[0]) : std::nullopt;
    if (!chain) {
      return std::optional<NodeId>();
    }
    const auto nameless = [&](NodeId step, const std::vector<NodeId>& read) {
      Node copied = graph[step];  // The file has no such value.
      copied.origin.clear();
      return builder.copy(copied, read);
    };
    NodeId copy = nameless(chain->product, inputs_of[chain->product]);
    for (const NodeId step : chain->steps) {
      std::vector<NodeId> read = inputs_of[step];
      read[*affine_value(graph, graph[step])] = copy;
      copy = nameless(step, read);
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
