// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exchanges dequantize and the operator that reads it, and quantize and the operator that it reads.
#include "move_to_integers.h"

#include <algorithm>
#include <cmath>

#include "ir/quantization.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// The one scale of a dequantize or quantize; nothing where it has several, or none that is constant.
std::optional<Quantization> scale_of(const Graph& graph, const Node& call) {
  if (!has_constant_quantization(graph, call)) {
    return std::nullopt;
  }
  Quantization quantization = read_quantization(graph, call);
  return quantization.scales.size() == 1 ? std::optional(std::move(quantization)) : std::nullopt;
}

/// What a number becomes where it is quantized.
int64_t quantize(const Quantization& to, float x) {
  const bool is_signed = to.element == ElementType::kInt8;
  const double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  const double steps = std::nearbyint(x / to.scale());
  return static_cast<int64_t>(
      std::isnan(steps) ? least : std::clamp(steps + static_cast<double>(to.zero_point()), least, most));
}

/// `call`, which moves elements or compares them, on the integers that are dequantized for it; nothing where those
/// would not give the same.
std::optional<Node> on_integers(const Quantization& from, Node call) {
  if (is_call(call, "pad")) {
    const auto value = static_cast<float>(float_attribute(call, "value", 0));
    const int64_t integer = quantize(from, value);
    call.attributes["value"] = static_cast<double>(integer);
    return static_cast<float>(integer - from.zero_point()) * from.scale() == value ? std::optional(call) : std::nullopt;
  }
  const bool is_same = moves_elements(call) || (is_call(call, "nn.max_pool2d") && from.scale() > 0);
  return is_same ? std::optional(call) : std::nullopt;
}

/// operator(dequantize(q)) as dequantize(operator(q)).
std::optional<NodeId> move_before_dequantize(GraphBuilder& builder, const Node& call, std::vector<NodeId> inputs) {
  const Node dequantize = builder[inputs[0]];
  const auto from = scale_of(builder.so_far(), dequantize);
  const auto moved = from ? on_integers(*from, call) : std::nullopt;
  if (!moved) {
    return std::nullopt;
  }
  inputs[0] = dequantize.inputs[0];
  const NodeId integers = builder.copy(*moved, inputs);
  Node outer = dequantize;
  outer.attributes["axis"] = int64_t{0};
  return builder.copy(outer, {integers, dequantize.inputs[1], dequantize.inputs[2]});
}

/// Operators to quantize before: those that leave as much to quantize, or more. Reshapes and transposes are
/// move_layout's.
bool should_follow_quantize(const Graph& graph, const Node& call) {
  return moves_elements(call) && !is_call(call, "reshape") && !is_call(call, "transpose") &&
         count_elements(call.type.shape) >= count_elements(graph[call.inputs[0]].type.shape);
}

/// quantize(operator(x)) as operator(quantize(x)).
std::optional<NodeId> move_behind_quantize(GraphBuilder& builder, const Node& quantize_call,
                                           std::vector<NodeId> inputs) {
  Node call = builder[inputs[0]];
  const auto to = scale_of(builder.so_far(), quantize_call);
  if (!to) {
    return std::nullopt;
  }
  if (is_call(call, "pad")) {
    const auto value = static_cast<float>(float_attribute(call, "value", 0));
    call.attributes["value"] = static_cast<double>(quantize(*to, value));
  }
  Node inner = quantize_call;
  inner.attributes["axis"] = int64_t{0};
  inputs[0] = call.inputs[0];
  std::vector<NodeId> operands = call.inputs;
  operands[0] = builder.copy(inner, inputs);
  return builder.copy(call, operands);
}

}  // namespace

Graph move_to_integers(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    if (inputs.empty()) {
      return std::optional<NodeId>();
    }
    Node node = graph[id];
    node.inputs = inputs;
    if (is_call(builder[inputs[0]], "qnn.dequantize") && !is_call(node, "qnn.quantize")) {
      return move_before_dequantize(builder, node, inputs);
    }
    const bool is_ahead = is_call(node, "qnn.quantize") && should_follow_quantize(builder.so_far(), builder[inputs[0]]);
    return is_ahead ? move_behind_quantize(builder, node, inputs) : std::nullopt;
  });
}

}  // namespace fovea
