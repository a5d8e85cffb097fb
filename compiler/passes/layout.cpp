// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shortest forms of reshapes and transposes.
#include "layout.h"

#include <algorithm>
#include <optional>

#include "ops/broadcast.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {

std::optional<int64_t> axis_after_reshape(const Shape& from, std::size_t axis, const Shape& to) {
  const auto inner = [](const Shape& shape, std::size_t i) {
    return count_elements(Shape(shape.begin() + static_cast<std::ptrdiff_t>(i) + 1, shape.end()));
  };
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == from[axis] && inner(to, i) == inner(from, axis)) {
      return static_cast<int64_t>(i);
    }
  }
  return std::nullopt;
}

bool keeps_order(const Graph& graph, const Node& sum, const Shape& a, const Shape& b) {
  const auto is_quantized = [&](NodeId input) { return is_call(graph[input], "qnn.dequantize"); };
  return !std::ranges::all_of(sum.inputs, is_quantized) ||
         is_first_broadcast(a, b) ==
             is_first_broadcast(graph[sum.inputs[0]].type.shape, graph[sum.inputs[1]].type.shape);
}

namespace {

/// Axes with more than one element, in the order in which `axes` visits them. Only their order moves anything.
Axes long_axes(const Shape& shape, const Axes& axes) {
  Axes result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), [&](int64_t axis) { return shape[axis] != 1; });
  return result;
}

Axes all_axes(const Shape& shape) {
  Axes axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<int64_t>(i);
  }
  return axes;
}

Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

template <typename Items>
Items picked(const Items& items, const Axes& axes) {
  Items result;
  for (const int64_t axis : axes) {
    result.push_back(items[axis]);
  }
  return result;
}

/// Axis of a dequantize after the move `call` of what it reads; nothing where its scales then lie along no axis.
std::optional<int64_t> axis_after(const Graph& graph, const Node& dequantize, const Node& call) {
  if (has_one_scale(graph, dequantize)) {
    return 0;
  }
  const Shape& from = graph[dequantize.inputs[0]].type.shape;
  const std::size_t axis = read_axis(dequantize, from);
  if (is_call(call, "reshape")) {
    return axis_after_reshape(from, axis, ints_attribute(call, "newshape", {}));
  }
  return inverse_of(ints_attribute(call, "axes", {}))[axis];
}

/// Moves a constant, or the constant that a dequantize reads; nothing where `x` is neither.
std::optional<NodeId> move_parameter(GraphBuilder& builder, NodeId x, const Node& call) {
  if (!is_parameter(builder.so_far(), x)) {
    return std::nullopt;
  }
  Node from = builder[x];
  if (from.kind == NodeKind::kConstant) {
    return builder.constant(call.op->evaluate(call, {from.constant.get()}), from.origin);
  }
  const std::optional<int64_t> axis = axis_after(builder.so_far(), from, call);
  if (!axis) {
    return std::nullopt;
  }
  from.attributes["axis"] = *axis;
  const NodeId moved = *move_parameter(builder, from.inputs[0], call);
  return builder.copy(from, {moved, from.inputs[1], from.inputs[2]});
}

NodeId add(GraphBuilder& builder, NodeId x, std::string_view op, Attributes attributes, const std::string& origin) {
  Node call;
  call.op = find_operator(op);
  call.attributes = std::move(attributes);
  call.origin = origin;
  const std::optional<NodeId> moved = move_parameter(builder, x, call);
  return moved ? *moved : builder.copy(call, {x});
}

}  // namespace

Axes inverse_of(const Axes& axes) {
  Axes inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    inverse[axes[i]] = static_cast<int64_t>(i);
  }
  return inverse;
}

bool is_move(const Node& node) { return is_call(node, "reshape") || is_call(node, "transpose"); }

bool is_parameter(const Graph& graph, NodeId id) {
  const NodeId source = is_call(graph[id], "qnn.dequantize") ? graph[id].inputs[0] : id;
  return graph[source].kind == NodeKind::kConstant;
}

bool has_one_scale(const Graph& graph, const Node& call) {
  return count_elements(graph[call.inputs[1]].type.shape) == 1;
}

NodeId add_reshape(GraphBuilder& builder, NodeId x, const Shape& shape, const std::string& origin) {
  const Node& from = builder[x];
  if (from.type.shape == shape) {
    return x;
  }
  if (is_call(from, "reshape")) {
    return add_reshape(builder, from.inputs[0], shape, origin);
  }
  return add(builder, x, "reshape", {{"newshape", shape}}, origin);
}

NodeId add_transpose(GraphBuilder& builder, NodeId x, const Axes& axes, const std::string& origin) {
  const Node from = builder[x];
  const Shape shape = picked(from.type.shape, axes);
  const Axes order = long_axes(from.type.shape, axes);
  if (std::is_sorted(order.begin(), order.end())) {
    return add_reshape(builder, x, shape, origin);
  }
  if (is_call(from, "transpose")) {
    return add_transpose(builder, from.inputs[0], picked(ints_attribute(from, "axes", {}), axes), origin);
  }
  // transpose(reshape(transpose(y))), the reshape between adding or dropping axes of size 1 only: one transpose of y.
  const Node& below = is_call(from, "reshape") ? builder[from.inputs[0]] : from;
  if (!is_call(below, "transpose") || without_ones(below.type.shape) != without_ones(from.type.shape)) {
    return add(builder, x, "transpose", {{"axes", axes}}, origin);
  }
  const NodeId source = below.inputs[0];
  const Shape source_shape = builder[source].type.shape;
  const Axes first = long_axes(source_shape, ints_attribute(below, "axes", {}));
  const Axes between = long_axes(from.type.shape, all_axes(from.type.shape));
  Axes merged = all_axes(source_shape);
  std::erase_if(merged, [&](int64_t axis) { return source_shape[axis] != 1; });
  for (const int64_t axis : order) {
    merged.push_back(first[std::find(between.begin(), between.end(), axis) - between.begin()]);
  }
  return add_reshape(builder, add_transpose(builder, source, merged, origin), shape, origin);
}

NodeId add_move(GraphBuilder& builder, NodeId x, const Node& call) {
  return is_call(call, "reshape") ? add_reshape(builder, x, ints_attribute(call, "newshape", {}), call.origin)
                                  : add_transpose(builder, x, ints_attribute(call, "axes", {}), call.origin);
}

}  // namespace fovea
