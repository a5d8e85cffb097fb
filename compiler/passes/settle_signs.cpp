// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds which int8 values can change together, then shifts them and what says where their zero is.
#include "settle_signs.h"

#include <algorithm>
#include <set>

#include "ir/quantization.h"
#include "ops/channels.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// From int8 to uint8, for values and zero points.
constexpr int64_t kShift = 128;

bool is_int8(const Node& node) { return node.type.element == ElementType::kInt8; }

/// Operators that give integers of the type that they take, the same up to a shift of all.
bool keeps_integers(const Node& node) {
  return moves_elements(node) || is_call(node, "nn.max_pool2d") || is_call(node, "concatenate") || is_clip(node);
}

/// The dequantized constants that are the weights of products.
std::set<NodeId> find_weights(const Graph& graph) {
  std::set<NodeId> weights;
  for (const Node& node : graph.nodes()) {
    if (!is_product(node)) {
      continue;
    }
    NodeId id = node.inputs[1];
    while (moves_elements(graph[id])) {
      id = graph[id].inputs[0];
    }
    const Node& source = graph[id];
    if (is_call(source, "qnn.dequantize") && graph[source.inputs[0]].kind == NodeKind::kConstant &&
        has_constant_quantization(graph, source)) {
      weights.insert(id);
    }
  }
  return weights;
}

/// Which int8 values become uint8; constants do where they are read.
class ShiftedValues {
 public:
  explicit ShiftedValues(const Graph& graph) : graph_(graph), users_(graph.users()), is_shifted_(graph.size()) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      is_shifted_[id] = is_int8(graph[id]) && can_shift(id);
    }
    while (leave_what_touches_others()) {
    }
  }

  bool operator[](NodeId id) const { return is_shifted_[id]; }

 private:
  bool is_constant(NodeId id) const { return graph_[id].kind == NodeKind::kConstant; }

  bool can_shift(NodeId id) const {
    const Node& node = graph_[id];
    const bool is_made = is_call(node, "qnn.quantize") && has_constant_quantization(graph_, node);
    return (is_made || keeps_integers(node)) && !graph_.is_output(id) &&
           std::all_of(users_[id].begin(), users_[id].end(), [&](NodeId user) {
             const Node& reader = graph_[user];
             return keeps_integers(reader) || is_call(reader, "argmax") ||
                    (is_call(reader, "qnn.dequantize") && reader.inputs[0] == id &&
                     has_constant_quantization(graph_, reader));
           });
  }

  /// What an operator takes and gives changes together or not at all. \return whether something was left.
  bool leave_what_touches_others() {
    bool has_left = false;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      if (!keeps_integers(node) || !is_int8(node)) {
        continue;
      }
      const auto stays = [&](NodeId value) { return !is_shifted_[value] && !is_constant(value); };
      if (!stays(id) && std::none_of(node.inputs.begin(), node.inputs.end(), stays)) {
        continue;
      }
      has_left |= is_shifted_[id];
      is_shifted_[id] = false;
      for (const NodeId input : node.inputs) {
        has_left |= is_shifted_[input];
        is_shifted_[input] = false;
      }
    }
    return has_left;
  }

  const Graph& graph_;
  const std::vector<std::vector<NodeId>>& users_;
  std::vector<bool> is_shifted_;
};

NodeId add_shifted(GraphBuilder& builder, NodeId constant) {
  const auto from = constant_value(builder.so_far(), constant);
  Tensor to({from->type().shape, ElementType::kUint8});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(from->type().shape)); ++i) {
    to.set_integer(i, from->integer_at(i) + kShift);
  }
  return builder.constant(std::move(to), builder[constant].origin);
}

/// An operator whose integers are uint8 now.
NodeId add_on_uint8(GraphBuilder& builder, Node node, std::vector<NodeId> inputs) {
  if (is_call(node, "pad")) {
    node.attributes["value"] = float_attribute(node, "value", 0) + static_cast<double>(kShift);
  }
  if (is_clip(node)) {
    const auto shift = static_cast<double>(kShift);
    return builder.call(
        "clip", inputs,
        {{"min", float_attribute(node, "min", 0) + shift}, {"max", float_attribute(node, "max", 127) + shift}},
        node.origin);
  }
  for (NodeId& input : inputs) {
    input = is_int8(builder[input]) ? add_shifted(builder, input) : input;  // A constant, or a zero point.
  }
  return builder.copy(node, inputs);
}

bool is_zero(const Tensor& integers) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(integers.type().shape)); ++i) {
    if (integers.integer_at(i) != 0) {
      return false;
    }
  }
  return true;
}

/// Weights around 0; nothing where they are, or where they don't fit.
std::optional<NodeId> center(GraphBuilder& builder, const Node& dequantize, const std::vector<NodeId>& inputs) {
  const Tensor& weights = *builder[inputs[0]].constant;
  const auto zero_points = constant_value(builder.so_far(), inputs[2]);
  if (weights.type().element == ElementType::kInt8 && is_zero(*zero_points)) {
    return std::nullopt;
  }
  const Shape& shape = weights.type().shape;
  const bool has_one = count_elements(zero_points->type().shape) == 1;
  const std::size_t axis = has_one ? 0 : read_axis(dequantize, shape);
  Tensor centered({shape, ElementType::kInt8});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(shape)); ++i) {
    const std::size_t k = has_one ? 0 : channel_of(shape, axis, i);
    const int64_t weight = weights.integer_at(i) - zero_points->integer_at(k);
    if (weight < -128 || weight > 127) {
      return std::nullopt;
    }
    centered.set_integer(i, weight);
  }
  const NodeId w = builder.constant(std::move(centered), builder[inputs[0]].origin);
  const NodeId zero = builder.constant(Tensor({zero_points->type().shape, ElementType::kInt8}), dequantize.origin);
  return builder.copy(dequantize, {w, inputs[1], zero});
}

/// Constants that are dequantized for anything but products and biases.
bool is_constant_activation(const Graph& graph, NodeId dequantize, const std::vector<NodeId>& users) {
  return graph[graph[dequantize].inputs[0]].kind == NodeKind::kConstant &&
         has_constant_quantization(graph, graph[dequantize]) &&
         std::none_of(users.begin(), users.end(), [&](NodeId user) { return is_call(graph[user], "nn.bias_add"); });
}

}  // namespace

Graph settle_signs(const Graph& graph) {
  const ShiftedValues is_shifted(graph);
  const std::set<NodeId> weights = find_weights(graph);
  const auto& users = graph.users();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (weights.contains(id)) {
      return center(builder, node, inputs);
    }
    const bool reads_shifted = is_call(node, "qnn.dequantize") && is_int8(graph[node.inputs[0]]) &&
                               (is_shifted[node.inputs[0]] || is_constant_activation(graph, id, users[id]));
    return is_shifted[id] || reads_shifted ? std::optional<NodeId>(add_on_uint8(builder, node, inputs)) : std::nullopt;
  });
}

}  // namespace fovea
