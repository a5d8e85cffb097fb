// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conv, MaxPool: operators that move a window.
#include <algorithm>
#include <limits>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

/// Whether two numbers can be strides, dilations or the size of a window.
void check_rows_and_columns(const OnnxNode& node, const std::string& name, const std::vector<int64_t>& numbers) {
  node.check(numbers.size() == 2 && std::min(numbers[0], numbers[1]) >= 1 &&
                 std::max(numbers[0], numbers[1]) <= std::numeric_limits<int32_t>::max(),
             name + " must be 2 numbers of 1 or more, and below 2^31: rows and columns");
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

/// Strides, dilations and pads as the IR has them. \param x  [N, C, H, W].   \param kernel  Rows and columns.
Attributes read_window(OnnxNode& node, const Shape& x, const std::vector<int64_t>& kernel) {
  Attributes window{{"strides", node.read_ints("strides", {1, 1})}, {"dilations", node.read_ints("dilations", {1, 1})}};
  for (const auto& [name, value] : window) {
    const auto& numbers = std::get<std::vector<int64_t>>(value);
    check_rows_and_columns(node, name, numbers);
  }
  check_rows_and_columns(node, "kernel_shape", kernel);
  std::vector<int64_t> pads = node.read_ints("pads", {0, 0, 0, 0});
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

/// Only tensors with rows and columns have windows here.
void check_2d(const OnnxNode& node, const Shape& shape) {
  node.check(shape.size() == 4,
             "only 2-D " + node.op() + " is supported, on [N, C, H, W]; here the shape is " + to_text(shape));
}

}  // namespace

NodeId add_conv(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias) {
  check_2d(node, context.shape(x));
  check_2d(node, context.shape(w));
  const std::vector<int64_t> kernel{context.shape(w)[2], context.shape(w)[3]};
  node.check(node.read_ints("kernel_shape", kernel) == kernel,
             "kernel_shape differs from the weights' shape " + to_text(context.shape(w)));
  Attributes attributes = read_window(node, context.shape(x), kernel);
  attributes["groups"] = node.read_int("group", 1);
  const NodeId conv = context.call(node, "nn.conv2d", {x, w}, attributes);
  return bias ? context.call(node, "nn.bias_add", {conv, *bias}, {{"axis", int64_t{1}}}) : conv;
}

NodeId convert_conv(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), w = context.input(node, 1);
  return add_conv(context, node, x, w, context.optional_input(node, 2));
}

NodeId convert_max_pool(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  check_2d(node, context.shape(x));
  const std::vector<int64_t> kernel = node.read_ints("kernel_shape", {});
  node.read_int("storage_order", 0);  // Orders the indices, the second output, which is refused.
  Attributes attributes = read_window(node, context.shape(x), kernel);
  attributes["kernel"] = kernel;
  attributes["ceil_mode"] = node.read_int("ceil_mode", 0);
  return context.call(node, "nn.max_pool2d", {x}, attributes);
}

}  // namespace fovea
