// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the conversions that no layer has, and writes them out.
#include "lower_conversions.h"

#include <algorithm>

#include "ir/quantization.h"
#include "ir/quantization_steps.h"
#include "ops/operator.h"
#include "rewrite.h"
#include "spec/dla_requant.h"

namespace fovea {
namespace {

bool is_lowered(const Graph& graph, const Node& node) {
  const bool is_parameter = is_call(node, "qnn.dequantize") && graph.is_constant(node.inputs[0]);
  const bool is_conversion = is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize");
  if (!is_conversion || is_parameter || !has_constant_quantization(graph, node)) {
    return false;
  }
  const Quantization q = read_quantization(graph, node);
  const bool is_activation = q.element == ElementType::kUint8 && q.is_per_tensor();
  return !is_activation && std::ranges::all_of(q.scales, dla_is_scale);
}

}  // namespace

Graph lower_conversions(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (!is_lowered(graph, node)) {
      return std::optional<NodeId>();
    }
    const auto scale = constant_value(graph, node.inputs[1]), zero_point = constant_value(graph, node.inputs[2]);
    const QuantizationSteps steps =
        spread_quantization(*scale, *zero_point, node.type.shape, int_attribute(node, "axis", 0), 0, node.origin);
    if (is_call(node, "qnn.dequantize")) {
      return std::optional(add_dequantize_steps(builder, inputs[0], steps, node.origin));
    }
    const auto [least, most] = range_of(node.type.element);
    return std::optional(add_quantize_steps(builder, inputs[0], steps, node.type.element, least, most, node.origin));
  });
}

}  // namespace fovea
