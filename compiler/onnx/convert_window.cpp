// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conv, MaxPool, AveragePool: operators that move a window along rows and columns; GlobalMaxPool, whose window is the
/// whole plane. 1-D ones move along the columns of one row.
#include <algorithm>
#include <limits>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

/// Whether numbers, one for each of `axes` axes, can be strides, dilations or the size of a window.
void check_numbers(const OnnxNode& node, const std::string& name, const std::vector<int64_t>& numbers,
                   std::size_t axes) {
  const auto fits = [](int64_t number) { return number >= 1 && number <= std::numeric_limits<int32_t>::max(); };
  node.check(numbers.size() == axes && std::all_of(numbers.begin(), numbers.end(), fits),
             name + (axes == 1 ? " must be a number of 1 or more, and below 2^31"
                               : " must be 2 numbers of 1 or more, and below 2^31: rows and columns"));
}

/// Pads that make the output ceil(size / stride) long; the odd one goes to the end, or with SAME_LOWER to the start.
std::vector<int64_t> same_pads(const Shape& x, const std::vector<int64_t>& kernel, const Attributes& window,
                               bool lower) {
  const auto& strides = std::get<std::vector<int64_t>>(window.at("strides"));
  const auto& dilations = std::get<std::vector<int64_t>>(window.at("dilations"));
  std::vector<int64_t> pads(4);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = dilations[axis] * (kernel[axis] - 1) + 1;
    const int64_t steps = (x[axis + 2] + strides[axis] - 1) / strides[axis];
    const int64_t total = std::max<int64_t>((steps - 1) * strides[axis] + reach - x[axis + 2], 0);
    pads[axis] = lower ? total - total / 2 : total / 2;
    pads[axis + 2] = total - pads[axis];
  }
  return pads;
}

/// An attribute of one number for each axis that windows move along, 1 where it is not given; as rows and columns.
std::vector<int64_t> read_axes(OnnxNode& node, const std::string& name, std::size_t axes) {
  std::vector<int64_t> numbers = node.read_ints(name, std::vector<int64_t>(axes, 1));
  check_numbers(node, name, numbers, axes);
  numbers.insert(numbers.begin(), 2 - axes, 1);
  return numbers;
}

/// Top, left, bottom, right.
std::vector<int64_t> read_pads(OnnxNode& node, std::size_t axes) {
  const std::vector<int64_t> pads = node.read_ints("pads", std::vector<int64_t>(2 * axes));
  node.check(pads.size() == 2 * axes, "pads must be " + std::to_string(2 * axes) + " numbers");
  return axes == 1 ? std::vector<int64_t>{0, pads[0], 0, pads[1]} : pads;
}

/// Strides, dilations and pads as the IR has them. \param axes  1 or 2, in the node.
/// \param x  [N, C, H, W].   \param kernel  Rows and columns.
Attributes read_window(OnnxNode& node, std::size_t axes, const Shape& x, const std::vector<int64_t>& kernel) {
  Attributes window{{"strides", read_axes(node, "strides", axes)}, {"dilations", read_axes(node, "dilations", axes)}};
  check_numbers(node, "kernel_shape", kernel, 2);
  std::vector<int64_t> pads = read_pads(node, axes);
  const std::string auto_pad = node.read_text("auto_pad", "NOTSET");
  if (auto_pad == "VALID") {
    pads = {0, 0, 0, 0};
  } else if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    pads = same_pads(x, kernel, window, auto_pad == "SAME_LOWER");
  } else {
    node.check(auto_pad == "NOTSET",
               "auto_pad=" + auto_pad + " is not supported; NOTSET, VALID, SAME_UPPER and SAME_LOWER are");
  }
  window["pads"] = pads;
  return window;
}

}  // namespace

NodeId with_rows(ImportContext& context, const OnnxNode& node, NodeId x) {
  Shape shape = context.shape(x);
  node.check(shape.size() == 3 || shape.size() == 4,
             "only 1-D and 2-D " + node.op() + " are supported, on [N, C, L] and [N, C, H, W]; here the shape is " +
                 to_text(shape));
  if (shape.size() == 4) {
    return x;
  }
  shape.insert(shape.begin() + 2, 1);
  // What the node reads is no value of its own: the name is that of what makes it, if a node does.
  NodeId made = x;
  while (context.builder[made].kind == NodeKind::kCall && operation_of(context.builder[made]).starts_with("qnn.")) {
    made = context.builder[made].inputs[0];
  }
  const bool is_made = context.builder[made].kind == NodeKind::kCall;
  return context.move_elements(is_made ? std::string(context.builder[made].origin) : node.name(), "reshape", x,
                               {{"newshape", shape}});
}

NodeId with_rank(ImportContext& context, const OnnxNode& node, NodeId y, std::size_t rank) {
  Shape shape = context.shape(y);
  if (rank == shape.size()) {
    return y;
  }
  shape.erase(shape.begin() + 2);
  return context.call(node, "reshape", {y}, {{"newshape", shape}});
}

NodeId add_conv(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias) {
  const std::size_t rank = context.shape(x).size();
  node.check(context.shape(w).size() == rank,
             "the weights " + to_text(context.shape(w)) + " are not for " + to_text(context.shape(x)));
  x = with_rows(context, node, x);
  w = with_rows(context, node, w);
  const std::vector<int64_t> kernel{context.shape(w)[2], context.shape(w)[3]};
  node.check(!node.has_attribute("kernel_shape") || read_axes(node, "kernel_shape", rank - 2) == kernel,
             "kernel_shape differs from the weights' shape " + to_text(context.shape(w)));
  Attributes attributes = read_window(node, rank - 2, context.shape(x), kernel);
  attributes["groups"] = node.read_int("group", 1);
  NodeId y = context.call(node, "nn.conv2d", {x, w}, attributes);
  y = bias ? context.call(node, "nn.bias_add", {y, *bias}, {{"axis", int64_t{1}}}) : y;
  return with_rank(context, node, y, rank);
}

namespace {

/// What MaxPool and AveragePool have in common. \param rank  Of the node's input.   \param x  [N, C, H, W].
Attributes read_pool(OnnxNode& node, std::size_t rank, const Shape& x) {
  check_numbers(node, "kernel_shape", node.read_ints("kernel_shape", {}), rank - 2);
  const std::vector<int64_t> kernel = read_axes(node, "kernel_shape", rank - 2);
  Attributes attributes = read_window(node, rank - 2, x, kernel);
  attributes["kernel"] = kernel;
  const int64_t ceil_mode = node.read_int("ceil_mode", 0);
  node.check(ceil_mode == 0 || ceil_mode == 1, "ceil_mode is " + std::to_string(ceil_mode) + "; it must be 0 or 1");
  attributes["ceil_mode"] = ceil_mode;
  return attributes;
}

}  // namespace

NodeId convert_conv(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  return add_conv(context, node, x, w, context.optional_input(node, 2));
}

NodeId convert_max_pool(ImportContext& context, OnnxNode& node) {
  const std::size_t rank = context.shape(context.input(node, 0)).size();
  const NodeId x = with_rows(context, node, context.input(node, 0));
  node.read_int("storage_order", 0);  // Orders the indices, the second output, which is refused.
  const Attributes attributes = read_pool(node, rank, context.shape(x));
  return with_rank(context, node, context.call(node, "nn.max_pool2d", {x}, attributes), rank);
}

NodeId convert_global_max_pool(ImportContext& context, OnnxNode& node) {
  const std::size_t rank = context.shape(context.input(node, 0)).size();
  const NodeId x = with_rows(context, node, context.input(node, 0));
  const Shape shape = context.shape(x);
  Attributes attributes = read_window(node, rank - 2, shape, {shape[2], shape[3]});
  attributes["kernel"] = std::vector<int64_t>{shape[2], shape[3]};
  attributes["ceil_mode"] = int64_t{0};
  return with_rank(context, node, context.call(node, "nn.max_pool2d", {x}, attributes), rank);
}

/// Of a window that is the whole plane ONNX Runtime takes the global average.
NodeId add_average_pool(ImportContext& context, OnnxNode& node, NodeId x) {
  const std::size_t rank = context.shape(x).size();
  x = with_rows(context, node, x);
  const Shape shape = context.shape(x);
  Attributes attributes = read_pool(node, rank, shape);
  attributes["count_include_pad"] = node.read_int("count_include_pad", 0);
  const std::vector<int64_t> plane{shape[2], shape[3]}, no_pads(4);
  const bool is_whole = attributes["kernel"] == Attribute(plane) && attributes["pads"] == Attribute(no_pads);
  const NodeId pool =
      is_whole ? context.call(node, "nn.global_avg_pool2d", {x}) : context.call(node, "nn.avg_pool2d", {x}, attributes);
  return with_rank(context, node, pool, rank);
}

NodeId add_global_average_pool(ImportContext& context, const OnnxNode& node, NodeId x) {
  const std::size_t rank = context.shape(x).size();
  return with_rank(context, node, context.call(node, "nn.global_avg_pool2d", {with_rows(context, node, x)}), rank);
}

NodeId convert_average_pool(ImportContext& context, OnnxNode& node) {
  return add_average_pool(context, node, context.input(node, 0));
}

NodeId convert_global_average_pool(ImportContext& context, OnnxNode& node) {
  return add_global_average_pool(context, node, context.input(node, 0));
}

}  // namespace fovea
