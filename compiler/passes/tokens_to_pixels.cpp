// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows values from product to product in the layout of pixels.
#include "tokens_to_pixels.h"

#include <algorithm>
#include <map>

#include "eliminate_dead_code.h"
#include "ir/quantization.h"
#include "layout.h"
#include "ops/channels.h"
#include "ops/operator.h"
#include "ops/unary.h"
#include "rewrite.h"
#include "spec/dla_command.h"

namespace fovea {
namespace {

bool is_matmul(const Node& node) { return is_call(node, "matmul"); }

/// Whether a value is a dequantized constant, moved or not.
bool is_quantized_constant(const Graph& graph, NodeId id) {
  while (is_move(graph[id])) {
    id = graph[id].inputs[0];
  }
  return is_call(graph[id], "qnn.dequantize") && graph.is_constant(id) && has_constant_quantization(graph, graph[id]);
}

bool is_float_constant(const Graph& graph, NodeId id) { return graph[id].kind == NodeKind::kConstant; }

/// Whether a value is weights that count.
using IsWeights = bool (*)(const Graph& graph, NodeId id);

/// Whether a call is the product of rows and one matrix of weights.
bool has_weights(const Graph& graph, const Node& node, IsWeights is_weights) {
  if ((!is_matmul(node) && !is_call(node, "nn.dense")) || graph[node.inputs[0]].type.shape.size() < 2 ||
      !is_weights(graph, node.inputs[1])) {
    return false;
  }
  const Shape& w = graph[node.inputs[1]].type.shape;
  return w.size() >= 2 && std::all_of(w.begin(), w.end() - 2, [](int64_t size) { return size == 1; }) &&
         w.size() <= graph[node.inputs[0]].type.shape.size() && count_elements(node.type.shape) > 0;
}

/// Rows and columns of so many pixels, as near to each other as their product allows.
Shape plane_of(int64_t pixels) {
  int64_t rows = 1;
  for (int64_t divisor = 2; divisor * divisor <= pixels; ++divisor) {
    rows = pixels % divisor == 0 ? divisor : rows;
  }
  return {rows, pixels / rows};
}

/// A plane's pixels as a window that the accelerator moves by its own height over so many pictures, [R, S]: the plane's
/// own rows and columns, if they fit.
std::optional<Shape> window_of(int64_t rows, int64_t columns, int64_t pictures) {
  const int64_t pixels = rows * columns;
  const auto fits = [&](int64_t R, int64_t S) {
    return R <= DLA_SHAPE_U_MAX && S <= DLA_SHAPE_S_MAX && pictures * R <= DLA_SHAPE_H_MAX;
  };
  if (fits(rows, columns)) {
    return Shape{rows, columns};
  }
  for (int64_t R = 1; R <= DLA_SHAPE_U_MAX; ++R) {
    if (pixels % R == 0 && fits(R, pixels / R)) {
      return Shape{R, pixels / R};
    }
  }
  return std::nullopt;
}

/// A value of a network of tokens, [..., T, C], in the layout of pixels: [1, C, H, W], or [1, C] of one row. Tokens
/// that are pictures [T, C, H, W] become [1, C, T H, W], one under another in each plane.
class Pixels {
 public:
  Pixels(const Graph& graph, IsWeights is_weights) : graph_(graph), is_weights_(is_weights) {}

  Graph run() {
    const Graph rewritten = rewrite_graph(
        graph_, [this](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) -> std::optional<NodeId> {
          const std::optional<NodeId> pixels = convert(builder, id, inputs);
          if (!pixels) {
            return std::nullopt;
          }
          pixels_.emplace(id, *pixels);
          return to_tokens(builder, *pixels, graph_[id]);
        });
    return eliminate_dead_code(rewritten);
  }

 private:
  /// A node's value in the layout of pixels; nothing where that is none.
  std::optional<NodeId> convert(GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph_[id];
    if (has_weights(graph_, node, is_weights_)) {
      products_.push_back(id);
      return multiply(builder, node, inputs);
    }
    if (node.kind != NodeKind::kCall || node.inputs.empty()) {
      return std::nullopt;
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (is_biased(node, i)) {
        return add_bias(builder, node, pixels_.at(node.inputs[i]), inputs[1 - i]);
      }
    }
    if (keeps_rows(node) && pixels_.contains(node.inputs[0])) {
      return pixels_.at(node.inputs[0]);
    }
    const bool is_conversion =
        (is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize")) && has_one_scale(graph_, node);
    if (!is_unary(node) && node.op->binary == nullptr && !is_conversion) {
      return std::nullopt;
    }
    std::optional<std::size_t> rank;  // Of the layout.
    for (const NodeId input : node.inputs) {
      const auto found = pixels_.find(input);
      if (found != pixels_.end() && graph_[input].type.shape == node.type.shape) {
        rank = builder[found->second].type.shape.size();
      }
    }
    std::vector<NodeId> operands;
    for (std::size_t i = 0; rank && i < inputs.size(); ++i) {
      const std::optional<NodeId> operand = operand_in_pixels(builder, node, i, inputs[i], *rank);
      if (!operand) {
        return std::nullopt;
      }
      operands.push_back(*operand);
    }
    const bool is_same = !rank || !is_call(node, "add") ||
                         keeps_order(graph_, node, builder[operands[0]].type.shape, builder[operands[1]].type.shape);
    return rank && is_same ? std::optional(builder.copy(node, operands)) : std::nullopt;
  }

  /// An operand of an elementwise call in the layout of pixels, [1, M, H, W] or [1, M]: of its shape, or a constant
  /// that is one number, or one a column. Nothing where it is neither.
  std::optional<NodeId> operand_in_pixels(GraphBuilder& builder, const Node& node, std::size_t i, NodeId operand,
                                          std::size_t rank) const {
    const NodeId input = node.inputs[i];
    const Shape& shape = graph_[input].type.shape;
    if (const auto found = pixels_.find(input); found != pixels_.end() && shape == node.type.shape) {
      return found->second;
    }
    const int64_t count = count_elements(shape);
    if (!graph_.is_constant(input) || (count != 1 && (count != shape.back() || count != node.type.shape.back()))) {
      return std::nullopt;
    }
    Shape in_pixels;
    if (count != 1) {
      in_pixels.assign(rank - 1, 1);
      in_pixels[0] = count;
    }
    return add_reshape(builder, operand, in_pixels, node.origin);
  }

  /// Whether a call gives the rows that it takes: a reshape of all axes but the last, a join of one.
  bool keeps_rows(const Node& node) const {
    const Shape &from = graph_[node.inputs[0]].type.shape, &to = node.type.shape;
    return (is_call(node, "reshape") && !from.empty() && !to.empty() && from.back() == to.back()) ||
           (is_call(node, "concatenate") && node.inputs.size() == 1);
  }

  NodeId multiply(GraphBuilder& builder, const Node& node, const std::vector<NodeId>& inputs) {
    const int64_t filters = node.type.shape.back(), rows = count_elements(node.type.shape) / filters;
    const int64_t channels = graph_[node.inputs[0]].type.shape.back();
    NodeId w = inputs[1];
    if (is_matmul(node)) {
      w = add_transpose(builder, add_reshape(builder, w, {channels, filters}, node.origin), {1, 0}, node.origin);
    }
    const auto known = pixels_.find(node.inputs[0]);
    const auto window = known != pixels_.end() ? std::nullopt : picture_window(node.inputs[0], rows);
    const Shape plane = window.value_or(Shape{1, 1});
    const Shape filter{filters, channels / (plane[0] * plane[1]), plane[0], plane[1]};
    const NodeId x = known != pixels_.end() ? known->second
                     : window ? under_each_other(builder, inputs[0], rows, filter, node.origin + "_pixels")
                              : to_pixels(builder, inputs[0], node.origin + "_pixels");
    if (rows == 1) {
      return builder.call("nn.dense", {x, w}, {}, node.origin);
    }
    const std::vector<int64_t> strides{plane[0], 1}, ones{1, 1}, no_pads(4);
    return builder.call("nn.conv2d", {x, add_reshape(builder, w, filter, node.origin)},
                        {{"strides", strides}, {"pads", no_pads}, {"dilations", ones}, {"groups", int64_t{1}}},
                        node.origin);
  }

  /// The window [R, S] that sees a plane of one picture, where the rows of x are pictures [N, C, H, W], perhaps
  /// elementwise something else by now.
  std::optional<Shape> picture_window(NodeId x, int64_t rows) const {
    const auto keeps_elements = [&](const Node& node) {
      return is_call(node, "reshape") || is_unary(node) ||
             ((is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize")) && has_one_scale(graph_, node));
    };
    while (graph_[x].type.shape.size() != 4 && keeps_elements(graph_[x])) {
      x = graph_[x].inputs[0];
    }
    const Shape& shape = graph_[x].type.shape;
    return rows > 1 && shape.size() == 4 && shape[0] == rows ? window_of(shape[2], shape[3], rows) : std::nullopt;
  }

  /// Whether operand i of a sum is a product, and the other a bias: one constant a column, as exporters write it.
  bool is_biased(const Node& sum, std::size_t i) const {
    if ((!is_call(sum, "nn.bias_add") && !is_call(sum, "add")) || std::ranges::count(products_, sum.inputs[i]) == 0) {
      return false;
    }
    const NodeId other = sum.inputs[1 - i];
    const Shape &shape = graph_[other].type.shape, &columns = graph_[sum.inputs[i]].type.shape;
    const bool is_along_columns = is_call(sum, "add") || read_axis(sum, columns) + 1 == columns.size();
    const bool is_constant = graph_[other].kind == NodeKind::kConstant || is_quantized_constant(graph_, other);
    return sum.type.shape == columns && !shape.empty() && shape.back() == columns.back() &&
           count_elements(shape) == columns.back() && is_along_columns && is_constant;
  }

  static NodeId add_bias(GraphBuilder& builder, const Node& sum, NodeId product, NodeId bias) {
    const Shape columns{builder[product].type.shape[1]};
    return builder.call("nn.bias_add", {product, add_reshape(builder, bias, columns, sum.origin)},
                        {{"axis", int64_t{1}}}, sum.origin);
  }

  static NodeId to_pixels(GraphBuilder& builder, NodeId x, const std::string& origin) {
    const int64_t channels = builder[x].type.shape.back(), rows = count_elements(builder[x].type.shape) / channels;
    if (rows == 1) {
      return add_reshape(builder, x, {1, channels}, origin);
    }
    const Shape plane = plane_of(rows);
    x = add_transpose(builder, add_reshape(builder, x, {1, rows, channels}, origin), {0, 2, 1}, origin);
    return add_reshape(builder, x, {1, channels, plane[0], plane[1]}, origin);
  }

  /// Rows [N, C R S] as [1, C, N R, S]. \param filter  [M, C, R, S].
  static NodeId under_each_other(GraphBuilder& builder, NodeId x, int64_t rows, const Shape& filter,
                                 const std::string& origin) {
    x = add_reshape(builder, x, {rows, filter[1], filter[2] * filter[3]}, origin);
    x = add_transpose(builder, x, {1, 0, 2}, origin);
    return add_reshape(builder, x, {1, filter[1], rows * filter[2], filter[3]}, origin);
  }

  static NodeId to_tokens(GraphBuilder& builder, NodeId x, const Node& node) {
    const Shape shape = builder[x].type.shape;
    if (shape.size() == 4) {
      x = add_reshape(builder, x, {1, shape[1], shape[2] * shape[3]}, node.origin);
      x = add_transpose(builder, x, {0, 2, 1}, node.origin);
    }
    return add_reshape(builder, x, node.type.shape, node.origin);
  }

  const Graph& graph_;
  const IsWeights is_weights_;
  std::map<NodeId, NodeId> pixels_;  ///< Of values, by their ids in the old graph, those in the layout of pixels.
  std::vector<NodeId> products_;
};

Graph convert(const Graph& graph, IsWeights is_weights) {
  const auto is_one = [&](const Node& node) { return has_weights(graph, node, is_weights); };
  return std::ranges::any_of(graph.nodes(), is_one) ? Pixels(graph, is_weights).run() : graph;
}

}  // namespace

Graph tokens_to_pixels(const Graph& graph) { return convert(graph, is_quantized_constant); }

Graph float_tokens_to_pixels(const Graph& graph) { return convert(graph, is_float_constant); }

}  // namespace fovea
