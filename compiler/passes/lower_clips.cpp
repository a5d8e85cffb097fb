// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares a clip's ends with the numbers that the integers around it can represent.
#include "lower_clips.h"

#include <algorithm>
#include <limits>

#include "ir/operator.h"
#include "ir/quantization.h"
#include "rewrite.h"

namespace fovea {
namespace {

constexpr double kMost = std::numeric_limits<float>::max();

/// What a clip or relu lets through.
struct Range {
  double least, most;
};

bool is_clip(const Node& node) { return is_call(node, "clip") || is_call(node, "nn.relu"); }

Range range_of(const Node& clip) { return {float_attribute(clip, "min", 0), float_attribute(clip, "max", kMost)}; }

/// Operators that move or compare numbers, so that a clip gives the same before and behind them.
bool keeps_numbers(const Node& node) {
  return is_call(node, "reshape") || is_call(node, "transpose") || is_call(node, "nn.max_pool2d");
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
  const auto& users = graph.users();
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
    if (*maker != inputs[0] || users[integers].size() != 1 || graph.is_output(integers)) {
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

/// Whether all that reads a value is quantize to uint8 that turns everything up to `least` into 0, from `most` into
/// 255.
Needless judge(const Graph& graph, NodeId id, const std::vector<std::vector<NodeId>>& users, Range range) {
  Needless needless{!graph.is_output(id) && !users[id].empty(), !graph.is_output(id) && !users[id].empty()};
  for (const NodeId user_id : users[id]) {
    const Node& user = graph[user_id];
    Needless here{false, false};
    if (keeps_numbers(user)) {
      here = judge(graph, user_id, users, range);
    } else if (is_call(user, "qnn.quantize") && has_constant_quantization(graph, user)) {
      const Quantization to = read_quantization(graph, user);
      const bool is_plain = to.element == ElementType::kUint8 && to.scales.size() == 1 && to.scale() > 0;
      const auto zero_point = static_cast<double>(to.zero_point());
      here = {is_plain && range.least / to.scale() + zero_point <= 0,
              is_plain && range.most / to.scale() + zero_point >= 255};
    }
    needless = {needless.least && here.least, needless.most && here.most};
  }
  return needless;
}

Graph drop_needless(const Graph& graph) {
  const auto& users = graph.users();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& clip = graph[id];
    if (!is_clip(clip) || clip.type.element != ElementType::kFloat32) {
      return std::optional<NodeId>();
    }
    const Range range = range_of(clip);
    const Needless needless = judge(graph, id, users, range);
    if (needless.least && needless.most) {
      return std::optional<NodeId>(inputs[0]);
    }
    const bool is_relu = needless.most && range.least == 0;
    return is_relu ? std::optional<NodeId>(builder.call("nn.relu", inputs, {}, clip.origin)) : std::nullopt;
  });
}

/// @}

}  // namespace

Graph lower_clips(const Graph& graph) { return drop_needless(move_before_quantize(graph)); }

}  // namespace fovea
