// SPDX-License-Identifier: Apache-2.0
/// \file
/// Flatten, Reshape, Squeeze, Unsqueeze, Transpose, DepthToSpace, SpaceToDepth: elements kept, shape changed.
#include <algorithm>
#include <numeric>

#include "converters.h"

namespace fovea {
namespace {

NodeId reshape(ImportContext& context, const OnnxNode& node, NodeId x, Shape shape) {
  return context.call(node, "reshape", {x}, {{"newshape", std::move(shape)}});
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

/// A block of more would have more than the 2^31 elements that a tensor may have.
constexpr int64_t kMostBlock = 46340;

/// Shape [N, C, H, W] and the size of a block.
std::pair<Shape, int64_t> read_blocks(ImportContext& context, OnnxNode& node, NodeId x) {
  Shape shape = context.shape(x);
  const int64_t block = node.read_int("blocksize", 0);
  node.check(shape.size() == 4 && block > 0 && block <= kMostBlock,
             node.op() + " needs [N, C, H, W] and a blocksize of 1 to " + std::to_string(kMostBlock) +
                 "; here they are " + to_text(shape) + " and " + std::to_string(block));
  return {std::move(shape), block};
}

}  // namespace

NodeId convert_flatten(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const int64_t axis = node.read_int("axis", 1);
  const std::size_t cut =
      axis == static_cast<int64_t>(shape.size()) ? shape.size() : node.normalize_axis(axis, shape.size());
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
  const std::vector<int64_t> axes = context.read_ints(node, 1, "axes", {});
  std::vector<bool> is_dropped(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    is_dropped[i] = axes.empty() && shape[i] == 1;
  }
  for (int64_t axis : axes) {
    const std::size_t place = node.normalize_axis(axis, shape.size());
    node.check(shape[place] == 1,
               "Squeeze drops axis " + std::to_string(axis) + " of " + to_text(shape) + ", which is not of size 1");
    is_dropped[place] = true;
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
  const std::vector<int64_t> axes = context.read_ints(node, 1, "axes", {});
  for (int64_t axis : axes) {
    places.push_back(node.normalize_axis(axis, shape.size() + axes.size()));
  }
  std::sort(places.begin(), places.end());
  node.check(std::adjacent_find(places.begin(), places.end()) == places.end(),
             "axes=" + to_text(axes) + " names an axis twice; each once works");
  for (std::size_t place : places) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), 1);
  }
  return reshape(context, node, x, shape);
}

NodeId convert_transpose(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  std::vector<int64_t> reversed(context.shape(x).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return context.call(node, "transpose", {x}, {{"axes", node.read_ints("perm", reversed)}});
}

NodeId convert_depth_to_space(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const auto [shape, block] = read_blocks(context, node, x);
  const int64_t C = shape[1] / (block * block);
  node.check(C * block * block == shape[1], to_text(shape) + " has no whole number of blocks of channels");
  const std::string mode = node.read_text("mode", "DCR");
  node.check(mode == "DCR" || mode == "CRD", "mode=" + mode + " is not supported; DCR and CRD are");
  const bool is_depth_first = mode == "DCR";
  const NodeId cut = reshape(context, node, x,
                             is_depth_first ? Shape{shape[0], block, block, C, shape[2], shape[3]}
                                            : Shape{shape[0], C, block, block, shape[2], shape[3]});
  const std::vector<int64_t> axes =
      is_depth_first ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  return reshape(context, node, context.call(node, "transpose", {cut}, {{"axes", axes}}),
                 {shape[0], C, shape[2] * block, shape[3] * block});
}

NodeId convert_space_to_depth(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const auto [shape, block] = read_blocks(context, node, x);
  const int64_t H = shape[2] / block, W = shape[3] / block;
  node.check(H * block == shape[2] && W * block == shape[3], to_text(shape) + " has no whole number of blocks");
  const NodeId cut = reshape(context, node, x, {shape[0], shape[1], H, block, W, block});
  const std::vector<int64_t> axes{0, 3, 5, 1, 2, 4};
  return reshape(context, node, context.call(node, "transpose", {cut}, {{"axes", axes}}),
                 {shape[0], shape[1] * block * block, H, W});
}

}  // namespace fovea
