// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks from each quantize of a join at the joined parts, and gives those a quantize of their own.
#include "rescale_joins.h"

#include <algorithm>

#include "ir/quantization.h"
#include "layers/device_pool.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

bool is_read_once_pool(const Graph& graph, NodeId id) {
  return is_call(graph[id], "nn.max_pool2d") && graph.is_read_once(id);
}

/// Whether the product can end with the pool, if there is one.
bool can_end_with(const Graph& graph, const Node& product, const Node* pool) {
  return pool == nullptr || (is_call(product, "nn.conv2d") && ends_convolution(graph, *pool, product));
}

/// Whether one layer makes the value for one reader: quantize(maxpool?(relu?(bias_add?(conv2d or dense)))), the pool
/// before or behind quantize.
bool is_of_products(const Graph& graph, NodeId id) {
  const Node* pool = nullptr;
  if (is_read_once_pool(graph, id)) {
    pool = &graph[id];
    id = graph[id].inputs[0];
  }
  if (!is_call(graph[id], "qnn.quantize") || !graph.is_read_once(id)) {
    return false;
  }
  id = graph[id].inputs[0];
  if (pool == nullptr && is_read_once_pool(graph, id)) {
    pool = &graph[id];
    id = graph[id].inputs[0];
  }
  while ((is_call(graph[id], "nn.relu") || is_call(graph[id], "nn.bias_add")) && graph.is_read_once(id)) {
    id = graph[id].inputs[0];
  }
  return is_product(graph[id]) && graph.is_read_once(id) && can_end_with(graph, graph[id], pool);
}

/// Whether each part is one run of the join's bytes.
bool is_one_run(const Node& join) {
  const Shape& shape = join.type.shape;
  const int64_t given = int_attribute(join, "axis", 0), rank = static_cast<int64_t>(shape.size());
  const int64_t axis = given < 0 ? given + rank : given;
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t size) { return size == 1; });
}

/// Whether the node is the quantize of a join that nothing else reads.
bool is_quantize_of_join(const Graph& graph, const Node& node) {
  if (!is_call(node, "qnn.quantize") || !has_constant_quantization(graph, node)) {
    return false;
  }
  const NodeId join = node.inputs[0];
  return is_call(graph[join], "concatenate") && graph.is_read_once(join) && is_one_run(graph[join]);
}

/// Whether the part should be made at another scale.
bool is_to_rescale(const Graph& graph, NodeId part, const Quantization& to) {
  return is_call(graph[part], "qnn.dequantize") && graph.is_read_once(part) &&
         has_constant_quantization(graph, graph[part]) && read_quantization(graph, graph[part]) != to &&
         is_of_products(graph, graph[part].inputs[0]);
}

/// The part at the scale of the join's quantize: rescaled next to the product, before a pool, so that the pool may stay
/// a layer of its own. \param part  dequantize(maxpool?(product)), in the new graph.
NodeId rescale_part(GraphBuilder& builder, NodeId part, const Node& quantize, NodeId scale, NodeId zero_point) {
  const Node dequantize = builder[part];
  const NodeId values = dequantize.inputs[0];
  if (!is_call(builder[values], "nn.max_pool2d")) {
    return builder.copy(dequantize, {builder.copy(quantize, {part, scale, zero_point}), scale, zero_point});
  }
  const Node pool = builder[values];
  const NodeId product = builder.copy(dequantize, {pool.inputs[0], dequantize.inputs[1], dequantize.inputs[2]});
  const NodeId rescaled = builder.copy(quantize, {product, scale, zero_point});
  return builder.copy(dequantize, {builder.copy(pool, {rescaled}), scale, zero_point});
}

}  // namespace

Graph rescale_joins(const Graph& graph, dla_rounding rounding) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& quantize = graph[id];
    if (rounding != kDlaNearestEven || !is_quantize_of_join(graph, quantize)) {
      return std::optional<NodeId>();
    }
    const Quantization to = read_quantization(graph, quantize);
    const Node& join = graph[quantize.inputs[0]];
    std::vector<NodeId> parts = builder[inputs[0]].inputs;
    bool is_changed = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (is_to_rescale(graph, join.inputs[i], to)) {
        parts[i] = rescale_part(builder, parts[i], quantize, inputs[1], inputs[2]);
        is_changed = true;
      }
    }
    if (!is_changed) {
      return std::optional<NodeId>();
    }
    return std::optional<NodeId>(builder.copy(quantize, {builder.copy(join, parts), inputs[1], inputs[2]}));
  });
}

}  // namespace fovea
