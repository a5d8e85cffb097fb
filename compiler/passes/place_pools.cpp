// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks from the pool up to the convolutions, then builds what is between them again.
#include "place_pools.h"

#include <algorithm>

#include "layers/device_pool.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// The convolution of clip?(relu?(bias_add?(conv2d))), where nothing else reads any of them; else null.
const Node* convolution_under(const Graph& graph, NodeId id) {
  while ((is_call(graph[id], "nn.relu") || is_call(graph[id], "clip") || is_call(graph[id], "nn.bias_add")) &&
         graph.is_read_once(id)) {
    id = graph[id].inputs[0];
  }
  return is_call(graph[id], "nn.conv2d") && graph.is_read_once(id) ? &graph[id] : nullptr;
}

/// Whether the value is a quantized convolution that can end with the pool.
bool is_convolution_to_pool(const Graph& graph, NodeId id, const Node& pool) {
  if (!is_call(graph[id], "qnn.quantize") || !graph.is_read_once(id)) {
    return false;
  }
  const Node* conv = convolution_under(graph, graph[id].inputs[0]);
  return conv != nullptr && ends_convolution(graph, pool, *conv);
}

/// Whether the node is a quantize behind a max-pool of a convolution that can't end with it.
bool is_quantize_of_pool(const Graph& graph, const Node& node) {
  if (!is_call(node, "qnn.quantize") || !is_call(graph[node.inputs[0]], "nn.max_pool2d") ||
      !graph.is_read_once(node.inputs[0])) {
    return false;
  }
  const Node& pool = graph[node.inputs[0]];
  const Node* conv = convolution_under(graph, pool.inputs[0]);
  return conv != nullptr && !ends_convolution(graph, pool, *conv);
}

/// Whether the node is a max-pool behind a join of such convolutions along their channels.
bool is_pool_of_join(const Graph& graph, const Node& node) {
  if (!is_call(node, "nn.max_pool2d") || !is_call(graph[node.inputs[0]], "qnn.quantize")) {
    return false;
  }
  const NodeId joined = graph[node.inputs[0]].inputs[0];
  if (!is_call(graph[joined], "concatenate") || int_attribute(graph[joined], "axis", 0) != 1 ||
      !graph.is_read_once(node.inputs[0]) || !graph.is_read_once(joined)) {
    return false;
  }
  return std::ranges::all_of(graph[joined].inputs, [&](NodeId part) {
    return is_call(graph[part], "qnn.dequantize") && graph.is_read_once(part) &&
           is_convolution_to_pool(graph, graph[part].inputs[0], node);
  });
}

/// A node again, on another first input.
NodeId copy_on(GraphBuilder& builder, NodeId id, NodeId first) {
  const Node node = builder[id];
  std::vector<NodeId> inputs = node.inputs;
  inputs[0] = first;
  return builder.copy(node, inputs);
}

}  // namespace

Graph place_pools(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (is_quantize_of_pool(graph, node)) {
      std::vector<NodeId> unpooled = inputs;
      unpooled[0] = builder[inputs[0]].inputs[0];
      return std::optional<NodeId>(builder.copy(graph[node.inputs[0]], {builder.copy(node, unpooled)}));
    }
    if (!is_pool_of_join(graph, node)) {
      return std::optional<NodeId>();
    }
    const NodeId joined = builder[inputs[0]].inputs[0];
    const Node join = builder[joined];
    std::vector<NodeId> parts;
    for (const NodeId part : join.inputs) {
      const NodeId pooled = builder.copy(node, {builder[part].inputs[0]});
      parts.push_back(copy_on(builder, part, pooled));
    }
    return std::optional<NodeId>(copy_on(builder, inputs[0], builder.copy(join, parts)));
  });
}

}  // namespace fovea
