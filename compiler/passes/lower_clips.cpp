// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares a clip's upper end with the largest number that its readers can represent.
#include "lower_clips.h"

#include <algorithm>

#include "ir/operator.h"
#include "ir/quantization.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// Whether everything from `most` upwards becomes 255.
bool saturates_at(const Graph& graph, const Node& quantize, double most) {
  if (!is_call(quantize, "qnn.quantize") || !has_constant_quantization(graph, quantize)) {
    return false;
  }
  const Quantization to = read_quantization(graph, quantize);
  return to.element == ElementType::kUint8 && to.scales.size() == 1 && to.scale() > 0 &&
         most / to.scale() + static_cast<double>(to.zero_point()) >= 255;
}

bool is_relu(const Graph& graph, NodeId id, const std::vector<NodeId>& users) {
  const Node& node = graph[id];
  return is_call(node, "clip") && float_attribute(node, "min", 1) == 0 && !graph.is_output(id) && !users.empty() &&
         std::all_of(users.begin(), users.end(),
                     [&](NodeId user) { return saturates_at(graph, graph[user], float_attribute(node, "max", 0)); });
}

}  // namespace

Graph lower_clips(const Graph& graph) {
  const auto users = graph.users();
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    return is_relu(graph, id, users[id]) ? std::optional<NodeId>(builder.call("nn.relu", inputs, {}, graph[id].origin))
                                         : std::nullopt;
  });
}

}  // namespace fovea
