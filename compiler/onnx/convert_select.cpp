// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slice, Split, Pad, Tile, Expand, Trilu: some elements, or some more than once.
#include <algorithm>
#include <numeric>

#include "converters.h"

namespace fovea {
namespace {

/// A slice: what it takes along each axis; everything at first.
struct Slice {
  explicit Slice(const Shape& shape) : begin(shape.size()), strides(shape.size(), 1), sizes(shape) {}
  std::vector<int64_t> begin, strides;
  Shape sizes;
};

NodeId add_slice(ImportContext& context, const OnnxNode& node, NodeId x, const Slice& slice) {
  const bool is_everything = slice.sizes == context.shape(x) && std::all_of(slice.strides.begin(), slice.strides.end(),
                                                                            [](int64_t stride) { return stride == 1; });
  return is_everything ? x
                       : context.call(node, "strided_slice", {x},
                                      {{"begin", slice.begin}, {"sizes", slice.sizes}, {"strides", slice.strides}});
}

std::vector<int64_t> first_axes(std::size_t count) {
  std::vector<int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Takes from `start` to before `end` along an axis; both count from the end where they are negative, and are cut off
/// at the ends.
void cut_axis(Slice& slice, std::size_t axis, int64_t start, int64_t end, int64_t step) {
  const int64_t size = slice.sizes[axis];
  step = std::clamp(step, -size - 1, size + 1);
  const auto place = [&](int64_t from, int64_t least, int64_t most) {
    return std::clamp(from < 0 ? from + size : from, least, most);
  };
  const int64_t first = step > 0 ? place(start, 0, size) : place(start, 0, size - 1);
  const int64_t last = step > 0 ? place(end, 0, size) : place(end, -1, size - 1);
  const int64_t away = step > 0 ? 1 : -1;
  slice.begin[axis] = first;
  slice.strides[axis] = step;
  slice.sizes[axis] = std::max<int64_t>((last - first + step - away) / step, 0);
}

/// For each element of a padded axis of `size`, the one that it repeats.
std::vector<int64_t> repeated(const OnnxNode& node, const std::string& mode, int64_t size, int64_t before,
                              int64_t after) {
  node.check(before + size + after <= kMostPlaces, "an axis of more than 2^20 elements is not supported");
  const auto wrap = [](int64_t i, int64_t period) { return (i % period + period) % period; };
  std::vector<int64_t> places;
  for (int64_t i = -before; i < size + after; ++i) {
    if (mode == "edge") {
      places.push_back(std::clamp<int64_t>(i, 0, size - 1));
    } else if (mode == "reflect") {
      const int64_t back = wrap(i, std::max<int64_t>(2 * (size - 1), 1));
      places.push_back(std::min(back, 2 * (size - 1) - back));
    } else {
      node.check(mode == "wrap", "mode=" + mode + " is not supported; constant, edge, reflect and wrap are");
      places.push_back(wrap(i, size));
    }
  }
  return places;
}

/// What Pad fills with: attribute until opset 10, input from 11.
double read_fill(ImportContext& context, OnnxNode& node) {
  if (!node.has_input(2)) {
    return node.read_float("value", 0);
  }
  const Tensor value = context.constant_input(node, 2);
  node.check(count_elements(value.type().shape) == 1, "the value that Pad fills with must be one number");
  return value.at(0);
}

/// Before each axis, then after each.
std::vector<int64_t> read_pads(ImportContext& context, OnnxNode& node, std::size_t rank) {
  const std::vector<int64_t> given = context.read_ints(node, 1, "pads", {});
  const std::vector<int64_t> axes = node.has_input(3) ? context.ints_input(node, 3) : first_axes(rank);
  node.check(given.size() == 2 * axes.size(), "pads must be two numbers for each of " + std::to_string(axes.size()) +
                                                  " axes, not " + std::to_string(given.size()) + " in all");
  std::vector<int64_t> pads(2 * rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = node.normalize_axis(axes[i], rank);
    const auto is_pad = [](int64_t pad) { return std::clamp(pad, -kMostPlaces, kMostPlaces) == pad; };
    node.check(is_pad(given[i]) && is_pad(given[i + axes.size()]), "pads must be -2^20 to 2^20");
    pads[axis] = given[i];
    pads[axis + rank] = given[i + axes.size()];
  }
  return pads;
}

/// Cuts off what pads below 0 say, and leaves 0 of them.
NodeId crop(ImportContext& context, const OnnxNode& node, NodeId x, std::vector<int64_t>& pads) {
  Slice slice(context.shape(x));
  const std::size_t rank = slice.sizes.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = std::max<int64_t>(-pads[axis], 0), after = std::max<int64_t>(-pads[axis + rank], 0);
    slice.begin[axis] = before;
    slice.sizes[axis] -= before + after;
    node.check(slice.sizes[axis] > 0, "pads cut off all of axis " + std::to_string(axis));
    pads[axis] = std::max<int64_t>(pads[axis], 0);
    pads[axis + rank] = std::max<int64_t>(pads[axis + rank], 0);
  }
  return add_slice(context, node, x, slice);
}

/// Sizes of Split's results: as given, else equal but for a smaller last one.
std::vector<int64_t> split_sizes(ImportContext& context, OnnxNode& node, int64_t size) {
  const auto count = static_cast<int64_t>(node.outputs().size());
  node.require_int("num_outputs", count);
  std::vector<int64_t> sizes = context.read_ints(node, 1, "split", {});
  if (sizes.empty()) {
    const int64_t part = (size + count - 1) / count;
    sizes.assign(static_cast<std::size_t>(count), part);
    sizes.back() = size - (count - 1) * part;
  }
  node.check(static_cast<int64_t>(sizes.size()) == count && *std::min_element(sizes.begin(), sizes.end()) >= 0 &&
                 std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == size,
             "the parts " + to_text(sizes) + " are not the " + std::to_string(count) + " that make up " +
                 std::to_string(size));
  return sizes;
}

}  // namespace

NodeId convert_slice(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  Slice slice(context.shape(x));
  const std::vector<int64_t> starts = context.read_ints(node, 1, "starts", {});
  const std::vector<int64_t> ends = context.read_ints(node, 2, "ends", {});
  const std::vector<int64_t> axes = context.read_ints(node, 3, "axes", first_axes(starts.size()));
  const std::vector<int64_t> steps =
      node.has_input(4) ? context.ints_input(node, 4) : std::vector<int64_t>(starts.size(), 1);
  node.check(ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
             "starts, ends, axes and steps must be as many");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    node.check(steps[i] != 0, "a step of Slice must not be 0");
    cut_axis(slice, node.normalize_axis(axes[i], slice.sizes.size()), starts[i], ends[i], steps[i]);
  }
  return add_slice(context, node, x, slice);
}

NodeId convert_split(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const std::size_t axis = node.normalize_axis(node.read_int("axis", 0), shape.size());
  const std::vector<int64_t> sizes = split_sizes(context, node, shape[axis]);
  const std::vector<std::string> names = node.outputs();
  std::vector<NodeId> parts;
  Slice slice(shape);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    slice.sizes[axis] = sizes[i];
    parts.push_back(add_slice(context, node, x, slice));
    slice.begin[axis] += sizes[i];
    if (i > 0 && !names[i].empty()) {
      context.define(names[i], parts[i]);
    }
  }
  return parts[0];
}

NodeId convert_pad(ImportContext& context, OnnxNode& node) {
  NodeId x = context.input(node, 0);
  const std::size_t rank = context.shape(x).size();
  std::vector<int64_t> pads = read_pads(context, node, rank);
  const std::string mode = node.read_text("mode", "constant");
  const double value = read_fill(context, node);
  x = crop(context, node, x, pads);
  if (mode == "constant") {
    const bool is_none = std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
    return is_none ? x : context.call(node, "pad", {x}, {{"pads", pads}, {"value", value}});
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    x = context.take(node, x, axis, repeated(node, mode, context.shape(x)[axis], pads[axis], pads[axis + rank]));
  }
  return x;
}

NodeId convert_tile(ImportContext& context, OnnxNode& node) {
  NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const std::vector<int64_t> repeats = context.ints_input(node, 1);
  node.check(repeats.size() == shape.size(), "repeats must be a number for each axis of " + to_text(shape));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    node.check(repeats[axis] > 0 && repeats[axis] <= kMostPlaces, "repeats must be 1 to 2^20");
    x = context.take(node, x, axis, repeated(node, "wrap", shape[axis], 0, shape[axis] * (repeats[axis] - 1)));
  }
  return x;
}

NodeId convert_expand(ImportContext& context, OnnxNode& node) {
  NodeId x = context.input(node, 0);
  Shape shape = context.shape(x), wanted = context.ints_input(node, 1);
  if (shape.size() < wanted.size()) {
    shape.insert(shape.begin(), wanted.size() - shape.size(), 1);
    x = context.call(node, "reshape", {x}, {{"newshape", shape}});
  }
  wanted.insert(wanted.begin(), shape.size() - wanted.size(), 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    node.check(wanted[axis] > 0 && wanted[axis] <= kMostPlaces &&
                   (shape[axis] == 1 || wanted[axis] == 1 || wanted[axis] == shape[axis]),
               to_text(shape) + " can't be broadcast to " + to_text(wanted));
    x = context.take(node, x, axis, repeated(node, "edge", shape[axis], 0, shape[axis] == 1 ? wanted[axis] - 1 : 0));
  }
  return x;
}

/// What is on one side of a diagonal, k above the main one, and 0 elsewhere.
NodeId convert_trilu(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Shape shape = context.shape(x);
  const bool is_upper = node.read_int("upper", 1) != 0;
  const int64_t k = node.has_input(1) ? context.ints_input(node, 1).at(0) : 0;
  node.check(shape.size() >= 2, "takes matrices, [..., N, M], not " + to_text(shape));
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  Tensor stays({{rows, columns}, ElementType::kBool});
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const bool is_kept = is_upper ? column - row >= k : column - row <= k;
      stays.set_integer(static_cast<std::size_t>(row * columns + column), is_kept ? 1 : 0);
    }
  }
  const NodeId mask = context.builder.constant(std::move(stays), node.name());
  const NodeId zero = context.builder.constant(Tensor({{}, context.type(x).element}), node.name());
  return context.call(node, "where", {mask, x, zero});
}

}  // namespace fovea
