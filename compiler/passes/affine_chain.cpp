// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks from the end of a chain to its product.
#include "affine_chain.h"

#include <algorithm>

#include "ir/quantization.h"
#include "ops/operator.h"

namespace fovea {
namespace {

bool is_combination(const Node& node) {
  return is_call(node, "add") || is_call(node, "subtract") || is_call(node, "multiply") || is_call(node, "divide");
}

/// int8 weights around 0, one scale or one a filter, of a value that was dequantized.
bool is_quantized(const Graph& graph, const Node& product) {
  const Node &x = graph[product.inputs[0]], &w = graph[product.inputs[1]];
  if (!is_call(x, "qnn.dequantize") || !is_call(w, "qnn.dequantize") || !has_constant_quantization(graph, w) ||
      graph[w.inputs[0]].kind != NodeKind::kConstant) {
    return false;
  }
  const Quantization q = read_quantization(graph, w);
  return q.element == ElementType::kInt8 && is_per_filter(q, w.type.shape.size()) &&
         std::ranges::all_of(q.zero_points, [](int64_t zero_point) { return zero_point == 0; });
}

}  // namespace

std::shared_ptr<const Tensor> operand_a_filter(const Graph& graph, const Node& node, std::size_t place) {
  const NodeId id = node.inputs[1 - place];
  const auto operand = graph.is_constant(id) ? constant_value(graph, id) : nullptr;
  const Shape& x = node.type.shape;
  if (operand == nullptr || operand->type().element != ElementType::kFloat32 || x.size() < 2) {
    return nullptr;
  }
  const Shape& shape = operand->type().shape;
  const int64_t count = count_elements(shape);
  const std::size_t behind = x.size() - 2;
  const bool is_a_filter =
      shape.size() > behind && shape.size() <= x.size() && shape[shape.size() - behind - 1] == x[1];
  return count == 1 || (count == x[1] && is_a_filter) ? operand : nullptr;
}

std::optional<std::size_t> affine_value(const Graph& graph, const Node& node) {
  const auto is_constant = [&](NodeId input) { return graph.is_constant(input); };
  if (is_call(node, "nn.batch_norm") || (is_call(node, "nn.bias_add") && int_attribute(node, "axis", 1) == 1)) {
    const bool has_constants = std::all_of(node.inputs.begin() + 1, node.inputs.end(), is_constant);
    return has_constants ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (!is_combination(node)) {
    return std::nullopt;
  }
  const bool is_second = graph.is_constant(node.inputs[0]);
  const bool is_step = (!is_second || is_call(node, "add") || is_call(node, "multiply")) &&
                       operand_a_filter(graph, node, is_second ? 1 : 0) != nullptr;
  return is_step ? std::optional<std::size_t>(is_second ? 1 : 0) : std::nullopt;
}

std::optional<AffineChain> find_affine_chain(const Graph& graph, NodeId end) {
  AffineChain chain;
  NodeId id = end;
  while (const auto value = affine_value(graph, graph[id])) {
    chain.steps.insert(chain.steps.begin(), id);
    id = graph[id].inputs[*value];
    if (!graph.is_read_once(id)) {
      return std::nullopt;
    }
  }
  if (!is_product(graph[id]) || !is_quantized(graph, graph[id])) {
    return std::nullopt;
  }
  chain.product = id;
  return chain;
}

}  // namespace fovea
