// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares a clip's ends with the numbers that the integers around it can represent.
#include "lower_clips.h"

#include <algorithm>
#include <limits>
#include <map>

#include "eliminate_dead_code.h"
#include "ir/quantization.h"
#include "layers/on_integers.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "ops/unary.h"
#include "remove_redundant_qdq.h"
#include "rewrite.h"

namespace fovea {
namespace {

constexpr double kMost = std::numeric_limits<float>::max();

/// What a clip or relu lets through.
struct Range {
  double least, most;
};

Range range_of(const Node& clip) { return {float_attribute(clip, "min", 0), float_attribute(clip, "max", kMost)}; }

/// Operators that move or compare numbers, so that a clip gives the same before and behind them.
bool keeps_numbers(const Node& node) {
  return (moves_elements(node) && !is_call(node, "pad")) || is_call(node, "nn.max_pool2d");
}

/// A copy of a call that reads `x` first and its other inputs as they are.
NodeId copy_on(GraphBuilder& builder, Node node, NodeId x) {
  node.inputs.at(0) = x;
  const std::vector<NodeId> inputs = node.inputs;
  return builder.copy(node, inputs);
}

NodeId add_clip(GraphBuilder& builder, NodeId x, Range range, const std::string& origin) {
  if (range.least == 0 && range.most >= kMost) {
    return builder.call("nn.relu", {x}, {}, origin);
  }
  return builder.call("clip", {x}, {{"min", range.least}, {"max", range.most}}, origin);
}

/// \name From integers to floats
/// @{

/// The quantize that made the integers which a value holds, one scale for all; nothing where there is none.
std::optional<NodeId> quantize_of(const Graph& graph, NodeId id) {
  while (keeps_numbers(graph[id])) {
    id = graph[id].inputs[0];
  }
  if (!is_call(graph[id], "qnn.quantize") || !has_constant_quantization(graph, graph[id])) {
    return std::nullopt;
  }
  const Quantization q = read_quantization(graph, graph[id]);
  return q.scales.size() == 1 && q.scale() > 0 ? std::optional<NodeId>(id) : std::nullopt;
}

/// The range of integers as one of floats; an end that reaches the integers' own is none.
Range dequantize(Range range, const Quantization& q) {
  const bool is_signed = q.element == ElementType::kInt8;
  const auto zero_point = static_cast<double>(q.zero_point());
  return {range.least <= (is_signed ? -128 : 0) ? -kMost : (range.least - zero_point) * q.scale(),
          range.most >= (is_signed ? 127 : 255) ? kMost : (range.most - zero_point) * q.scale()};
}

Graph move_before_quantize(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& clip = graph[id];
    if (!is_clip(clip) || clip.type.element == ElementType::kFloat32) {
      return std::optional<NodeId>();
    }
    const auto maker = quantize_of(builder.so_far(), inputs[0]);
    if (!maker) {
      return std::optional<NodeId>();
    }
    Node quantize = builder[*maker];
    const Range range = dequantize(range_of(clip), read_quantization(builder.so_far(), quantize));
    if (range.least <= -kMost && range.most >= kMost) {
      return std::optional<NodeId>(inputs[0]);
    }
    const NodeId scale = quantize.inputs[1], zero_point = quantize.inputs[2], integers = clip.inputs[0];
    NodeId x = quantize.inputs[0];
    if (*maker != inputs[0] || !graph.is_read_once(integers)) {
      x = builder.call("qnn.dequantize", {inputs[0], scale, zero_point}, quantize.attributes, clip.origin);
      quantize.origin = clip.origin;
    }
    const NodeId clipped = add_clip(builder, x, range, clip.origin);
    return std::optional<NodeId>(builder.copy(quantize, {clipped, scale, zero_point}));
  });
}

/// @}
/// \name What quantization makes needless
/// @{

/// Whether each end of a clip is needless.
struct Needless {
  bool least, most;
};

/// What becomes of a number; rounded down, how far beyond the integers it is doesn't matter.
double quantize(double x, const Quantization& to, dla_rounding rounding) {
  const auto zero_point = static_cast<double>(to.zero_point());
  if (rounding == kDlaNearestEven) {
    return dla_quantize_f32(static_cast<float>(x), to.scale(), static_cast<uint8_t>(to.zero_point()));
  }
  return x / to.scale() + zero_point;
}

/// Whether all that reads a value is quantize to uint8 that turns everything up to `least` into 0, from `most` into
/// 255.
Needless judge(const Graph& graph, NodeId id, const std::vector<std::vector<NodeId>>& users, Range range,
               dla_rounding rounding) {
  Needless needless{!graph.is_output(id) && !users[id].empty(), !graph.is_output(id) && !users[id].empty()};
  for (const NodeId user_id : users[id]) {
    const Node& user = graph[user_id];
    Needless here{false, false};
    if (keeps_numbers(user)) {
      here = judge(graph, user_id, users, range, rounding);
    } else if (is_call(user, "qnn.quantize") && has_constant_quantization(graph, user)) {
      const Quantization to = read_quantization(graph, user);
      const bool is_plain = to.element == ElementType::kUint8 && to.scales.size() == 1 && to.scale() > 0;
      here = {is_plain && quantize(range.least, to, rounding) <= 0,
              is_plain && quantize(range.most, to, rounding) >= 255};
    }
    needless = {needless.least && here.least, needless.most && here.most};
  }
  return needless;
}

Graph drop_needless(const Graph& graph, dla_rounding rounding) {
  const auto& users = graph.users();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& clip = graph[id];
    if (!is_clip(clip) || clip.type.element != ElementType::kFloat32) {
      return std::optional<NodeId>();
    }
    const Range range = range_of(clip);
    const Needless needless = judge(graph, id, users, range, rounding);
    if (needless.least && needless.most) {
      return std::optional<NodeId>(inputs[0]);
    }
    const bool is_relu = needless.most && range.least == 0;
    return is_relu ? std::optional<NodeId>(builder.call("nn.relu", inputs, {}, clip.origin)) : std::nullopt;
  });
}

/// @}
/// \name What is left
/// @{

/// Whether the relu of a value is computed with it, before it is quantized.
bool takes_relu(const Node& node) { return is_product(node) || is_call(node, "nn.bias_add") || is_arithmetic(node); }

/// What stands between a value and its quantize.
struct Tail {
  NodeId value;
  std::vector<NodeId> moves, clips;  ///< The last first.
};

/// A function of integers is a table as it is, clips and all.
bool is_function(const Graph& graph, NodeId id) { return match(function_of_activation(), graph, id).has_value(); }

/// What quantize must see without its tail: nothing where patterns take the tail along, or there is none.
std::optional<Tail> find_tail(const Graph& graph, NodeId id) {
  Tail tail{id, {}, {}};
  for (;;) {
    const Node& node = graph[tail.value];
    if (is_function(graph, tail.value)) {
      break;
    }
    const bool is_relu = is_call(node, "nn.relu") && takes_relu(graph[node.inputs[0]]);
    if (!keeps_numbers(node) && (!is_clip(node) || is_relu)) {
      return tail.clips.empty() ? std::nullopt : std::optional<Tail>(tail);
    }
    (is_clip(node) ? tail.clips : tail.moves).push_back(tail.value);
    tail.value = node.inputs[0];
  }
  return tail.moves.empty() ? std::nullopt : std::optional<Tail>(tail);
}

/// Clips of a quantized value, not yet added.
struct Clipped {
  NodeId integers;
  Node quantize;
  std::vector<NodeId> clips;  ///< The last first.
};

/// quantize(clip(dequantize(integers))).
NodeId add_clips(GraphBuilder& builder, const Clipped& clipped) {
  const NodeId scale = clipped.quantize.inputs[1], zero_point = clipped.quantize.inputs[2];
  NodeId y = builder.call("qnn.dequantize", {clipped.integers, scale, zero_point}, clipped.quantize.attributes,
                          builder[clipped.clips.front()].origin);
  for (auto clip = clipped.clips.rbegin(); clip != clipped.clips.rend(); ++clip) {
    y = builder.copy(Node(builder[*clip]), {y});
  }
  return builder.copy(clipped.quantize, {y, scale, zero_point});
}

/// quantize(clip(x)) as quantize(clip(dequantize(quantize(x)))), which is the same for a scale and zero point, as
/// rounding keeps the order of numbers. Max-pools come before the clip, where nothing else reads its result; what moves
/// elements behind them, behind it: so a convolution takes both along.
Graph split_off_clips(const Graph& graph) {
  std::map<NodeId, Clipped> split;
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    Node node = graph[id];
    node.inputs = inputs;
    if (is_call(node, "nn.max_pool2d") && split.contains(inputs[0]) && graph.is_read_once(graph[id].inputs[0])) {
      Clipped clipped = split.at(inputs[0]);
      clipped.integers = copy_on(builder, node, clipped.integers);
      const NodeId moved = add_clips(builder, clipped);
      split.emplace(moved, clipped);
      return std::optional<NodeId>(moved);
    }
    const std::optional<Tail> tail = is_call(node, "qnn.quantize") && builder[inputs[1]].kind == NodeKind::kConstant &&
                                             count_elements(builder[inputs[1]].type.shape) == 1
                                         ? find_tail(builder.so_far(), inputs[0])
                                         : std::nullopt;
    if (!tail) {
      return std::optional<NodeId>();
    }
    const auto is_pool = [&](NodeId move) { return is_call(builder[move], "nn.max_pool2d"); };
    const std::vector<NodeId>& moves = tail->moves;
    const auto behind_pools = static_cast<std::size_t>(std::ranges::find_if(moves, is_pool) - moves.begin());
    NodeId y = builder.copy(node, {tail->value, inputs[1], inputs[2]});
    for (std::size_t i = moves.size(); i-- > behind_pools;) {
      y = copy_on(builder, builder[moves[i]], y);
    }
    if (!tail->clips.empty()) {
      const Clipped clipped{y, node, tail->clips};
      y = add_clips(builder, clipped);
      split.emplace(y, clipped);
    }
    for (std::size_t i = behind_pools; i-- > 0;) {
      y = copy_on(builder, builder[moves[i]], y);
    }
    return std::optional<NodeId>(y);
  });
}

/// @}

}  // namespace

Graph lower_clips(const Graph& graph, dla_rounding rounding) {
  // Neither what nothing reads any more nor a change to the same scale may part a clip from what moves its result.
  const Graph dropped = remove_redundant_qdq(drop_needless(move_before_quantize(graph), rounding));
  return split_off_clips(eliminate_dead_code(dropped));
}

}  // namespace fovea
