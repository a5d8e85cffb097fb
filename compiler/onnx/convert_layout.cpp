// SPDX-License-Identifier: Apache-2.0
/// \file
/// Flatten, Reshape, Squeeze, Unsqueeze, Transpose: elements kept, shape changed.
#include <algorithm>
#include <numeric>

#include "converters.h"

namespace fovea {
namespace {

NodeId reshape(ImportContext& context, const OnnxNode& node, NodeId x, Shape shape) {
  return context.call(node, "reshape", {x}, {{"newshape", std::move(shape)}});
}

/// An axis counted from the front. UserError where a shape of that rank has none.
std::size_t normalize_axis(const OnnxNode& node, int64_t axis, std::size_t rank) {
  const auto axes = static_cast<int64_t>(rank);
  node.check(axis >= -axes && axis < axes,
             "axis " + std::to_string(axis) + " is outside a shape of " + std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

/// Axes of Squeeze and Unsqueeze: attribute until opset 12, input from 13.
std::vector<int64_t> read_axes(ImportContext& context, OnnxNode& node) {
  return node.has_input(1) ? context.ints_input(node, 1) : node.read_ints("axes", {});
}

/// The shape that Reshape asks for: 0 keeps a dimension (unless `allow_zero`), one -1 takes what is left.
Shape resolve_shape(const OnnxNode& node, Shape wanted, const Shape& from, bool allow_zero) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !allow_zero) {
      node.check(i < from.size(),
                 "Reshape keeps dimension " + std::to_string(i) + ", which " + to_text(from) + " lacks");
      wanted[i] = from[i];
    }
  }
  const auto open = std::find(wanted.begin(), wanted.end(), -1);
  if (open == wanted.end()) {
    return wanted;
  }
  *open = 1;
  const int64_t known = count_elements(wanted);
  node.check(known > 0 && count_elements(from) % known == 0,
             to_text(from) + " can't be cut into runs of " + std::to_string(known) + " elements");
  *open = count_elements(from) / known;
  return wanted;
}

}  // namespace

NodeId convert_flatten(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const int64_t axis = node.read_int("axis", 1);
  const std::size_t cut =
      axis == static_cast<int64_t>(shape.size()) ? shape.size() : normalize_axis(node, axis, shape.size());
  const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(cut);
  return reshape(context, node, x,
                 {count_elements(Shape(shape.begin(), middle)), count_elements(Shape(middle, shape.end()))});
}

NodeId convert_reshape(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const bool allow_zero = node.read_int("allowzero", 0) != 0;
  return reshape(context, node, x, resolve_shape(node, context.ints_input(node, 1), context.shape(x), allow_zero));
}

NodeId convert_squeeze(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const std::vector<int64_t> axes = read_axes(context, node);
  std::vector<bool> is_dropped(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    is_dropped[i] = axes.empty() && shape[i] == 1;
  }
  for (int64_t axis : axes) {
    is_dropped[normalize_axis(node, axis, shape.size())] = true;
  }
  Shape squeezed;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!is_dropped[i]) {
      squeezed.push_back(shape[i]);
    }
  }
  return reshape(context, node, x, squeezed);
}

NodeId convert_unsqueeze(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  Shape shape = context.shape(x);
  std::vector<std::size_t> places;
  const std::vector<int64_t> axes = read_axes(context, node);
  for (int64_t axis : axes) {
    places.push_back(normalize_axis(node, axis, shape.size() + axes.size()));
  }
  std::sort(places.begin(), places.end());
  for (std::size_t place : places) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), 1);
  }
  return reshape(context, node, x, shape);
}

NodeId convert_transpose(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  std::vector<int64_t> reversed(context.shape(x).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return context.move_elements(node, "transpose", x, {{"axes", node.read_ints("perm", reversed)}});
}

}  // namespace fovea
