// SPDX-License-Identifier: Apache-2.0
/// \file
/// OneHot, ScatterElements, and GatherND and ScatterND, whose indices are of several axes at once.
#include <numeric>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

NodeId add_integers(ImportContext& context, const OnnxNode& node, Shape shape, const std::vector<int64_t>& numbers) {
  return context.builder.constant(Tensor::of<int64_t>(std::move(shape), numbers), node.name());
}

/// Indices below 0, which count from the end, as those that count from the front. \param sizes  Broadcast to them.
NodeId add_from_front(ImportContext& context, const OnnxNode& node, NodeId indices, NodeId sizes) {
  const NodeId is_negative = context.call(node, "less", {indices, add_integers(context, node, {}, {0})});
  return context.call(node, "where", {is_negative, context.call(node, "add", {indices, sizes}), indices});
}

/// A tensor whose leading axes are addressed together, and where.
struct Addressed {
  NodeId rows;    ///< Of the tensor as [all places of those axes, all else].
  NodeId places;  ///< Which row, for each index: [batch axes..., index axes...].
  Shape rest;     ///< The axes that aren't addressed.
};

/// \param indices  int64 [batch axes..., index axes..., q]: places along the q axes behind the first `batch` ones of x.
Addressed add_addresses(ImportContext& context, const OnnxNode& node, NodeId x, NodeId indices, std::size_t batch) {
  const Shape from = context.shape(x), given = context.shape(indices);
  node.check(given.size() > batch && given.back() >= 1 &&
                 given.back() <= static_cast<int64_t>(from.size()) - static_cast<int64_t>(batch) &&
                 std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(batch), given.begin()),
             "indices " + to_text(given) + " don't fit " + to_text(from));
  const auto count = static_cast<std::size_t>(given.back());
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(batch), last = first + given.back();
  const std::vector<int64_t> sizes(first, last);
  std::vector<int64_t> strides(count, 1);
  for (std::size_t i = count - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  const NodeId inside = add_from_front(context, node, indices, add_integers(context, node, {given.back()}, sizes));
  const NodeId steps = context.call(node, "multiply", {inside, add_integers(context, node, {given.back()}, strides)});
  NodeId places =
      context.call(node, "sum", {steps},
                   {{"axes", std::vector<int64_t>{static_cast<int64_t>(given.size()) - 1}}, {"keepdims", int64_t{0}}});
  if (batch > 0) {
    Shape each(given.size() - 1, 1);
    std::copy(from.begin(), first, each.begin());
    std::vector<int64_t> begins(static_cast<std::size_t>(count_elements(each)));
    std::iota(begins.begin(), begins.end(), 0);
    for (int64_t& begin : begins) {
      begin *= strides[0] * sizes[0];
    }
    places = context.call(node, "add", {places, add_integers(context, node, each, begins)});
  }
  const Shape rest(last, from.end());
  const Shape rows{count_elements(Shape(from.begin(), last)), count_elements(rest)};
  return {context.call(node, "reshape", {x}, {{"newshape", rows}}), places, rest};
}

}  // namespace

NodeId add_one_hot(ImportContext& context, const OnnxNode& node, NodeId indices, std::size_t axis, int64_t depth,
                   NodeId on, NodeId off) {
  std::vector<int64_t> places(static_cast<std::size_t>(depth));
  std::iota(places.begin(), places.end(), 0);
  Shape along(context.shape(indices).size(), 1);
  along[axis] = depth;
  const NodeId is_there = context.call(node, "equal", {add_integers(context, node, along, places), indices});
  return context.call(node, "where", {is_there, on, off});
}

/// values[1] where an axis of `depth` places has the index, values[0] elsewhere.
NodeId convert_one_hot(ImportContext& context, OnnxNode& node) {
  NodeId indices = context.input(node, 0);
  const NodeId values = context.input(node, 2);
  const Tensor given = context.constant_input(node, 1);
  node.check(count_elements(given.type().shape) == 1 && given.at(0) >= 1 && given.at(0) <= kMostPlaces,
             "depth of OneHot must be one number, 1 to 2^20");
  const auto depth = static_cast<int64_t>(given.at(0));
  Shape shape = context.shape(indices);
  const std::size_t axis = node.normalize_axis(node.read_int("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  indices = context.call(node, "cast", {indices}, {{"dtype", std::string("int64")}});
  indices = add_from_front(context, node, indices, add_integers(context, node, {}, {depth}));
  indices = context.call(node, "reshape", {indices}, {{"newshape", shape}});
  const NodeId on = context.take(node, values, 0, {1}), off = context.take(node, values, 0, {0});
  return add_one_hot(context, node, indices, axis, depth, on, off);
}

NodeId convert_gather_nd(ImportContext& context, OnnxNode& node) {
  const int64_t batch = node.read_int("batch_dims", 0);
  node.check(batch >= 0, "batch_dims must not be below 0");
  const Addressed x =
      add_addresses(context, node, context.input(node, 0), context.input(node, 1), static_cast<std::size_t>(batch));
  Shape shape = context.shape(x.places);
  shape.insert(shape.end(), x.rest.begin(), x.rest.end());
  const NodeId rows = context.call(node, "gather", {x.rows, x.places}, {{"axis", int64_t{0}}});
  return context.call(node, "reshape", {rows}, {{"newshape", shape}});
}

NodeId convert_scatter_elements(ImportContext& context, OnnxNode& node) {
  return context.call(node, "scatter_elements",
                      {context.input(node, 0), context.input(node, 1), context.input(node, 2)},
                      {{"axis", node.read_int("axis", 0)}, {"reduction", node.read_text("reduction", "none")}});
}

/// Each index puts a row.
NodeId convert_scatter_nd(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Addressed to = add_addresses(context, node, x, context.input(node, 1), 0);
  const int64_t count = count_elements(context.shape(to.places)), size = count_elements(to.rest);
  const NodeId places = context.call(node, "reshape", {to.places}, {{"newshape", Shape{count, 1}}});
  const NodeId indices = context.take(node, places, 1, std::vector<int64_t>(static_cast<std::size_t>(size), 0));
  Shape expected = context.shape(to.places);
  expected.insert(expected.end(), to.rest.begin(), to.rest.end());
  const Shape given = context.shape(context.input(node, 2));
  node.check(given == expected, "updates must be " + to_text(expected) + ", not " + to_text(given));
  const NodeId updates = context.call(node, "reshape", {context.input(node, 2)}, {{"newshape", Shape{count, size}}});
  const NodeId put = context.call(node, "scatter_elements", {to.rows, indices, updates},
                                  {{"axis", int64_t{0}}, {"reduction", node.read_text("reduction", "none")}});
  return context.call(node, "reshape", {put}, {{"newshape", context.shape(x)}});
}

}  // namespace fovea
