// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tries layouts for groups of elementwise operators, and keeps what saves moves.
#include "move_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "eliminate_common_subexpressions.h"
#include "eliminate_dead_code.h"
#include "layout.h"
#include "move_to_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "ops/unary.h"
#include "rewrite.h"
#include "same_graph.h"

namespace fovea {
namespace {

/// Another layout for all values of a region: one order of axes, or one shape.
struct Layout {
  bool is_transposed = false;
  std::vector<int64_t> numbers;  ///< Axes, or the shape.
  std::string origin;            ///< Of the move that asks for it.

  auto operator<=>(const Layout&) const = default;
};

/// Nodes that take a new layout together, by id.
using NodeSet = std::set<NodeId>;

/// Bytes transposed, moves, bytes reshaped: what a graph pays for its layouts.
std::tuple<std::size_t, std::size_t, std::size_t> cost_of(const Graph& graph) {
  std::size_t transposed = 0, moves = 0, reshaped = 0;
  for (const Node& node : graph.nodes()) {
    if (is_move(node)) {
      ++moves;
      (is_call(node, "transpose") ? transposed : reshaped) += size_bytes(node.type);
    }
  }
  return {transposed, moves, reshaped};
}

bool is_per_element(const Graph& graph, const Node& node) {
  return is_unary(node) || is_call(node, "cast") ||
         ((is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize")) && has_one_scale(graph, node));
}

/// Moves behind what computes floats from several numbers, where they part it from the quantize that is one layer with
/// it.
std::size_t count_parted(const Graph& graph) {
  const auto parts = [&](const Node& node) {
    const auto computes = [&](const Node& source) {
      return source.kind == NodeKind::kCall && source.type.element == ElementType::kFloat32 && !is_move(source) &&
             !is_call(source, "qnn.dequantize") && !is_per_element(graph, source);
    };
    return is_move(node) && computes(graph[node.inputs[0]]);
  };
  return static_cast<std::size_t>(std::count_if(graph.nodes().begin(), graph.nodes().end(), parts));
}

/// How many of a node's inputs, the first ones, have the layout of its result.
std::size_t count_operands(const Node& node) {
  return is_arithmetic(node) || is_call(node, "concatenate") ? node.inputs.size() : 1;
}

/// Whether a node computes the same, moved, in another layout of that kind.
bool can_change_layout(const Graph& graph, NodeId id, bool is_transposed) {
  const Node& node = graph[id];
  if (node.kind != NodeKind::kCall || is_parameter(graph, id)) {
    return false;
  }
  if (is_arithmetic(node)) {
    const Shape& shape = node.type.shape;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](NodeId input) {
      const Shape& operand = graph[input].type.shape;
      return is_transposed ? operand.size() == shape.size() || is_parameter(graph, input)
                           : operand == shape || (is_parameter(graph, input) && count_elements(operand) == 1);
    });
  }
  const bool has_axis =
      is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize") || is_call(node, "concatenate");
  const bool selects = is_call(node, "strided_slice") || is_call(node, "pad") ||
                       (is_call(node, "take") && graph[node.inputs[1]].type.shape.size() == 1);
  return is_per_element(graph, node) || is_call(node, "nn.bias_add") || (is_transposed && (has_axis || selects));
}

/// The axis attribute of a node of a region in another layout; nothing where it is none there.
std::optional<int64_t> axis_in(const Graph& graph, const Node& node, const Layout& layout) {
  if (is_per_element(graph, node)) {
    return 0;
  }
  const Shape& shape = graph[node.inputs[0]].type.shape;
  const std::size_t axis = read_axis(node, shape);
  return layout.is_transposed ? inverse_of(layout.numbers)[axis] : axis_after_reshape(shape, axis, layout.numbers);
}

/// A shape with ones before it, up to a rank.
Shape widened(const Shape& shape, std::size_t rank) {
  Shape wide(rank - shape.size(), 1);
  wide.insert(wide.end(), shape.begin(), shape.end());
  return wide;
}

Shape operand_in(const Graph& graph, NodeId input, const Layout& layout) {
  const Shape shape = widened(graph[input].type.shape, layout.numbers.size());
  Shape moved;
  for (const int64_t axis : layout.numbers) {
    moved.push_back(shape[static_cast<std::size_t>(axis)]);
  }
  return moved;
}

/// Whether all nodes of a region compute the same in another layout.
bool fits(const Graph& graph, const NodeSet& region, const Layout& layout) {
  return std::all_of(region.begin(), region.end(), [&](NodeId id) {
    const Node& node = graph[id];
    const bool has_axis = node.attributes.count("axis") == 0 || axis_in(graph, node, layout).has_value();
    return has_axis && (!layout.is_transposed || !is_call(node, "add") ||
                        keeps_order(graph, node, operand_in(graph, node.inputs[0], layout),
                                    operand_in(graph, node.inputs[1], layout)));
  });
}

/// The attributes of a node of a region in another layout.
Attributes attributes_in(const Graph& graph, const Node& node, const Layout& layout) {
  Attributes attributes = node.attributes;
  if (attributes.count("axis") != 0) {
    attributes["axis"] = *axis_in(graph, node, layout);
  }
  for (const char* name : {"begin", "sizes", "strides", "pads"}) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) {
      continue;
    }
    auto& numbers = std::get<std::vector<int64_t>>(found->second);
    const std::vector<int64_t> given = numbers;
    for (std::size_t i = 0; i < given.size(); ++i) {  // Of pads, those behind the axes follow those before them.
      const std::size_t rank = layout.numbers.size(), side = i / rank * rank;
      numbers[i] = given[side + static_cast<std::size_t>(layout.numbers[i % rank])];
    }
  }
  return attributes;
}

/// All regions of one kind: nodes that can change their layout, joined where one reads another.
std::vector<NodeSet> find_regions(const Graph& graph, bool is_transposed) {
  std::vector<NodeId> first(graph.size());
  std::iota(first.begin(), first.end(), 0);
  const auto first_of = [&](NodeId id) {
    while (first[id] != id) {
      id = first[id];
    }
    return id;
  };
  std::vector<bool> is_inside(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    is_inside[id] = can_change_layout(graph, id, is_transposed);
    for (std::size_t i = 0; is_inside[id] && i < count_operands(graph[id]); ++i) {
      const NodeId input = graph[id].inputs[i];
      if (is_inside[input]) {
        first[first_of(id)] = first_of(input);
      }
    }
  }
  std::map<NodeId, NodeSet> regions;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (is_inside[id]) {
      regions[first_of(id)].insert(id);
    }
  }
  std::vector<NodeSet> result;
  for (auto& [id, region] : regions) {
    result.push_back(std::move(region));
  }
  return result;
}

/// Layouts that the moves at a region's borders ask for: the one before a move into it, the one after a move out of it.
std::set<Layout> find_layouts(const Graph& graph, const NodeSet& region, bool is_transposed) {
  const std::string_view op = is_transposed ? "transpose" : "reshape";
  std::set<Layout> layouts;
  for (const NodeId id : region) {
    for (std::size_t i = 0; i < count_operands(graph[id]); ++i) {
      const Node& input = graph[graph[id].inputs[i]];
      if (is_call(input, op)) {
        layouts.insert(
            {is_transposed,
             is_transposed ? inverse_of(ints_attribute(input, "axes", {})) : graph[input.inputs[0]].type.shape,
             input.origin});
      }
    }
    for (const NodeId user : graph.users()[id]) {
      const Node& node = graph[user];
      if (is_call(node, op)) {
        layouts.insert({is_transposed, ints_attribute(node, is_transposed ? "axes" : "newshape", {}), node.origin});
      }
    }
  }
  return layouts;
}

/// Gives what comes into a region its new layout. `rank` is that of the region's values.
NodeId enter(GraphBuilder& builder, NodeId x, const Layout& layout, std::size_t rank) {
  const Shape shape = builder[x].type.shape;
  if (layout.is_transposed) {
    // A constant of fewer axes is broadcast along the first ones.
    const NodeId wide = add_reshape(builder, x, widened(shape, rank), layout.origin);
    return add_transpose(builder, wide, layout.numbers, layout.origin);
  }
  const bool is_broadcast = count_elements(shape) == 1 && is_parameter(builder.so_far(), x);
  return add_reshape(builder, x, is_broadcast ? Shape{} : layout.numbers, layout.origin);
}

/// Gives a region another layout; moves at its borders keep all other values as they are.
Graph change_layout(const Graph& graph, const NodeSet& region, const Layout& layout) {
  std::vector<NodeId> inside(graph.size());
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    Node node = graph[id];
    if (is_move(node)) {
      return std::optional<NodeId>(add_move(builder, inputs[0], node));
    }
    if (region.count(id) == 0) {
      return std::optional<NodeId>();
    }
    std::vector<NodeId> operands = inputs;
    for (std::size_t i = 0; i < count_operands(node); ++i) {
      const NodeId input = node.inputs[i];
      operands[i] =
          region.count(input) != 0 ? inside[input] : enter(builder, inputs[i], layout, node.type.shape.size());
    }
    node.attributes = attributes_in(graph, node, layout);
    inside[id] = builder.copy(node, std::move(operands));
    return std::optional<NodeId>(layout.is_transposed
                                     ? add_transpose(builder, inside[id], inverse_of(layout.numbers), layout.origin)
                                     : add_reshape(builder, inside[id], node.type.shape, layout.origin));
  });
}

bool has_free_columns(const Graph& graph, NodeId weights) {
  const Node& node = graph[weights];
  return is_parameter(graph, weights) &&
         (node.kind == NodeKind::kConstant || has_one_scale(graph, node) || read_axis(node, node.type.shape) == 0);
}

/// For each value, whether the order of a matrix's columns matters to nothing but the weights of fully connected
/// layers.
std::vector<bool> free_columns(const Graph& graph) {
  std::vector<bool> are_free(graph.size());
  for (NodeId id = graph.size(); id-- > 0;) {
    const std::vector<NodeId>& users = graph.users()[id];
    are_free[id] = !graph.is_output(id) && !users.empty() && std::all_of(users.begin(), users.end(), [&](NodeId user) {
      const Node& node = graph[user];
      return is_call(node, "nn.dense") ? node.inputs[0] == id && has_free_columns(graph, node.inputs[1])
                                       : are_free[user] && is_per_element(graph, node);
    });
  }
  return are_free;
}

/// The weights for rows that are no longer transposed by `axes`. `shape` is what a row was before it became one.
NodeId permute_columns(GraphBuilder& builder, NodeId weights, const Shape& shape, const Axes& axes) {
  const Shape flat = builder[weights].type.shape;
  Shape wide{flat[0]};
  wide.insert(wide.end(), shape.begin(), shape.end());
  Axes back{0};
  for (const int64_t axis : inverse_of(axes)) {
    back.push_back(axis + 1);
  }
  const NodeId cut = add_reshape(builder, weights, wide, "");
  return add_reshape(builder, add_transpose(builder, cut, back, ""), flat, "");
}

/// Replaces dense(reshape(transpose(x)), w) by dense(reshape(x), w'), also with elementwise operators before dense.
Graph transpose_weights(const Graph& graph) {
  const std::vector<bool> are_free = free_columns(graph);
  std::vector<NodeId> transposes(graph.size(), graph.size());  // What the columns of a value are transposed by.
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (node.kind != NodeKind::kCall || node.inputs.empty()) {
      return std::optional<NodeId>();
    }
    const NodeId x = node.inputs[0];
    if (is_call(node, "reshape") && is_call(graph[x], "transpose") && node.type.shape.size() == 2 &&
        node.type.shape[0] == 1 && are_free[id]) {
      transposes[id] = x;
      return std::optional<NodeId>(add_reshape(builder, builder[inputs[0]].inputs[0], node.type.shape, node.origin));
    }
    if (transposes[x] != graph.size() && is_call(node, "nn.dense")) {
      const Node& transpose = graph[transposes[x]];
      const NodeId weights =
          permute_columns(builder, inputs[1], transpose.type.shape, ints_attribute(transpose, "axes", {}));
      return std::optional<NodeId>(builder.copy(node, {inputs[0], weights}));
    }
    transposes[id] = is_per_element(graph, node) ? transposes[x] : graph.size();
    return std::optional<NodeId>();
  });
}

/// A region's new layout, all moves in their shortest form, transposes before fully connected layers in their weights.
Graph tidy(const Graph& graph, const NodeSet& region, const Layout& layout) {
  return eliminate_dead_code(transpose_weights(change_layout(graph, region, layout)));
}

/// A dequantize belongs to each layer that reads it: where one reads it moved, and others do not, it is two, and the
/// move is of integers. Nothing where no move is.
std::optional<Graph> with_moves_on_integers(const Graph& graph) {
  Graph moved = tidy(move_to_integers(graph), {}, {});
  return cost_of(moved) < cost_of(graph) ? std::optional(std::move(moved)) : std::nullopt;
}

/// Values of the graphs that are tried at most, together. MobileNet and ResNet take fewer than 1,000.
constexpr std::size_t kMostTriedValues = 1 << 18;

/// The first change of layout that saves something; nothing where none does, or too much has been tried.
/// \param tried  Values of the graphs that were tried up to here.
std::optional<Graph> improve(const Graph& graph, std::size_t& tried) {
  for (const bool is_transposed : {true, false}) {
    for (const NodeSet& region : find_regions(graph, is_transposed)) {
      for (const Layout& layout : find_layouts(graph, region, is_transposed)) {
        if (!fits(graph, region, layout)) {
          continue;
        }
        tried += graph.size();
        if (tried > kMostTriedValues) {
          return std::nullopt;
        }
        Graph changed = tidy(graph, region, layout);
        if (cost_of(changed) < cost_of(graph) && count_parted(changed) <= count_parted(graph)) {
          return changed;
        }
      }
    }
  }
  return with_moves_on_integers(graph);
}

}  // namespace

Graph move_layout(const Graph& graph) {
  if (std::none_of(graph.nodes().begin(), graph.nodes().end(), is_move)) {
    return graph;
  }
  // A value that is computed twice would be two whose layouts are chosen one by one.
  const Graph given = eliminate_dead_code(eliminate_common_subexpressions(graph));
  Graph best = tidy(given, {}, {});
  std::size_t tried = 0;
  while (std::optional<Graph> better = improve(best, tried)) {
    best = std::move(*better);
  }
  return is_same_graph(best, given) ? graph : best;
}

}  // namespace fovea
