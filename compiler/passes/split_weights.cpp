// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes int8 pieces off weights until nothing is left, and repeats the channels that they are for.
#include "split_weights.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "ir/quantization.h"
#include "ops/channels.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

bool is_integer(ElementType element) {
  return element == ElementType::kUint8 || element == ElementType::kInt8 || element == ElementType::kInt32;
}

/// Weights less their zero points; none where they are int8 around 0, or have more than nine bits.
std::vector<int64_t> find_wide_weights(const Graph& graph, NodeId id) {
  const Node& product = graph[id];
  if (!is_product(product)) {
    return {};
  }
  const Node &x = graph[product.inputs[0]], &w = graph[product.inputs[1]];
  const bool is_quantized = is_call(x, "qnn.dequantize") && is_call(w, "qnn.dequantize") &&
                            graph[w.inputs[0]].kind == NodeKind::kConstant && has_constant_quantization(graph, x) &&
                            has_constant_quantization(graph, w);
  if (!is_quantized || !is_integer(graph[w.inputs[0]].type.element) || !is_quantized_again(graph, id)) {
    return {};
  }
  if (read_quantization(graph, x).scales.size() != 1) {
    return {};  // A scale a channel makes a float32 product.
  }
  const Tensor& weights = *graph[w.inputs[0]].constant;
  const Quantization q = read_quantization(graph, w);
  const Shape& shape = weights.type().shape;
  if (!is_per_filter(q, shape.size())) {
    return {};
  }
  const bool is_wide = weights.type().element != ElementType::kInt8 ||
                       std::ranges::any_of(q.zero_points, [](int64_t zero_point) { return zero_point != 0; });
  if (!is_wide) {
    return {};
  }
  std::vector<int64_t> centered(static_cast<std::size_t>(count_elements(shape)));
  for (std::size_t i = 0; i < centered.size(); ++i) {
    const std::size_t k = q.scales.size() == 1 ? 0 : channel_of(shape, 0, i);
    centered[i] = weights.integer_at(i) - q.zero_points[k];
    if (std::abs(centered[i]) > UINT8_MAX) {
      return {};
    }
  }
  return centered;
}

/// Pieces of int8 whose sum the weights are, at least one.
std::vector<std::vector<int64_t>> pieces_of(std::vector<int64_t> weights) {
  std::vector<std::vector<int64_t>> pieces;
  do {
    std::vector<int64_t>& piece = pieces.emplace_back(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      piece[i] = std::clamp<int64_t>(weights[i], -128, 127);
      weights[i] -= piece[i];
    }
  } while (std::ranges::any_of(weights, [](int64_t weight) { return weight != 0; }));
  return pieces;
}

/// The pieces of each filter one behind another, as its channels. \param shape  Of one piece, [M, C, ...].
Tensor join_pieces(const std::vector<std::vector<int64_t>>& pieces, Shape shape) {
  const auto taps = static_cast<std::size_t>(elements_from(shape, 1));
  shape[1] *= static_cast<int64_t>(pieces.size());
  Tensor joined({shape, ElementType::kInt8});
  std::size_t next = 0;
  for (std::size_t m = 0; m < static_cast<std::size_t>(shape[0]); ++m) {
    for (const std::vector<int64_t>& piece : pieces) {
      for (std::size_t i = 0; i < taps; ++i) {
        joined.set_integer(next++, piece[m * taps + i]);
      }
    }
  }
  return joined;
}

/// The channels of each group so many times.
std::vector<int64_t> repeat_channels(int64_t channels, int64_t groups, std::size_t times) {
  std::vector<int64_t> places;
  for (int64_t group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < times; ++i) {
      places.resize(places.size() + static_cast<std::size_t>(channels / groups));
      std::iota(places.end() - channels / groups, places.end(), group * (channels / groups));
    }
  }
  return places;
}

}  // namespace

Graph split_weights(const Graph& graph) {
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const std::vector<int64_t> wide = find_wide_weights(graph, id);
    if (wide.empty()) {
      return std::optional<NodeId>();
    }
    const Node& product = graph[id];
    const Node dequantize_x = builder[inputs[0]], dequantize_w = builder[inputs[1]];
    const auto pieces = pieces_of(wide);
    const Shape x = dequantize_x.type.shape;
    const std::size_t axis = is_call(product, "nn.dense") ? x.size() - 1 : 1;
    const std::vector<int64_t> places = repeat_channels(x[axis], int_attribute(product, "groups", 1), pieces.size());
    const NodeId indices =
        builder.constant(Tensor::of<int64_t>({static_cast<int64_t>(places.size())}, places), product.origin);
    const NodeId repeated =
        builder.call("take", {dequantize_x.inputs[0], indices}, {{"axis", static_cast<int64_t>(axis)}},
                     product.origin.empty() ? "" : product.origin + "_channels");
    const NodeId weights =
        builder.constant(join_pieces(pieces, dequantize_w.type.shape), builder[dequantize_w.inputs[0]].origin);
    const NodeId zero =
        builder.constant(Tensor({builder[dequantize_w.inputs[2]].type.shape, ElementType::kInt8}), product.origin);
    return std::optional(
        builder.copy(product, {builder.copy(dequantize_x, {repeated, dequantize_x.inputs[1], dequantize_x.inputs[2]}),
                               builder.copy(dequantize_w, {weights, dequantize_w.inputs[1], zero})}));
  });
}

}  // namespace fovea
