// SPDX-License-Identifier: Apache-2.0
/// \file
/// ConvTranspose: a convolution of stride 1 over the input with zeros between its rows and columns, by filters turned
/// by 180 degrees.
#include <algorithm>
#include <cstring>

#include "converters.h"
#include "ir/quantization.h"
#include "ops/operator.h"
#include "products.h"

namespace fovea {
namespace {

/// Weights [C, M / groups, R, S] as [M, C / groups, R, S], each filter turned.
Tensor turn(const Tensor& w, int64_t groups) {
  const Shape& shape = w.type().shape;
  const int64_t C = shape[0] / groups, M = shape[1], R = shape[2], S = shape[3];
  Tensor turned({{M * groups, C, R, S}, w.type().element});
  const std::size_t size = size_bytes(w.type().element);
  for (int64_t i = 0; i < count_elements(shape); ++i) {
    const int64_t s = i % S, r = i / S % R, m = i / (S * R) % M, c = i / (S * R * M);
    const int64_t place = (((c / C * M + m) * C + c % C) * R + R - 1 - r) * S + S - 1 - s;
    std::memcpy(&turned.bytes()[static_cast<std::size_t>(place) * size], &w.bytes()[static_cast<std::size_t>(i) * size],
                size);
  }
  return turned;
}

/// A scale or zero point of each of the M / groups filters of a group, for all groups.
NodeId repeat(ImportContext& context, const Tensor& values, int64_t groups) {
  const int64_t count = count_elements(values.type().shape);
  Tensor repeated({{count * groups}, values.type().element});
  for (int64_t group = 0; group < groups; ++group) {
    std::ranges::copy(values.bytes(), repeated.bytes().begin() + group * static_cast<int64_t>(values.bytes().size()));
  }
  return context.builder.constant(std::move(repeated));
}

/// Constant weights turned; their integers where they are dequantized.
NodeId turn_weights(ImportContext& context, const OnnxNode& node, NodeId w, int64_t groups) {
  const Node source = context.builder[w];
  const bool is_dequantized = is_call(source, "qnn.dequantize");
  const auto weights = constant_value(context.builder.so_far(), is_dequantized ? source.inputs[0] : w);
  node.check(weights != nullptr, "the weights must be a constant");
  const NodeId turned = context.builder.constant(turn(*weights, groups), source.origin);
  if (!is_dequantized) {
    return turned;
  }
  Attributes attributes = source.attributes;
  NodeId scale = source.inputs[1], zero_point = source.inputs[2];
  if (count_elements(context.shape(scale)) > 1) {
    const auto scales = constant_value(context.builder.so_far(), scale);
    const auto zero_points = constant_value(context.builder.so_far(), zero_point);
    const int64_t axis = int_attribute(source, "axis", 1);
    node.check(
        scales != nullptr && zero_points != nullptr && (axis == 1 || axis == -3),
        "the weights have scales along axis " + std::to_string(axis) + "; one scale, or constants along axis 1, work");
    scale = repeat(context, *scales, groups);
    zero_point = repeat(context, *zero_points, groups);
    attributes["axis"] = int64_t{0};
  }
  return context.builder.call("qnn.dequantize", {turned, scale, zero_point}, attributes, source.origin);
}

/// The numbers of a ConvTranspose: rows, then columns.
struct Spread {
  std::vector<int64_t> kernel, strides, dilations, output_padding;
  std::vector<int64_t> pads;  ///< Top, left, bottom, right; of the output, which is so much smaller.
};

/// An attribute of one number for each axis that windows move along, as rows and columns.
std::vector<int64_t> read_axes(OnnxNode& node, const std::string& name, std::size_t axes, int64_t fallback) {
  std::vector<int64_t> numbers = node.read_ints(name, std::vector<int64_t>(axes, fallback));
  const auto fits = [&](int64_t number) { return number >= fallback && number < int64_t{1} << 31; };
  node.check(
      numbers.size() == axes && std::ranges::all_of(numbers, fits),
      name + " must be " + std::to_string(axes) + " of " + std::to_string(fallback) + " or more, and below 2^31");
  numbers.insert(numbers.begin(), axes == 1 ? 1 : 0, fallback);
  return numbers;
}

/// Rows or columns of the output without pads.
int64_t whole_size(const Spread& spread, const Shape& x, std::size_t axis) {
  return spread.strides[axis] * (x[axis + 2] - 1) + spread.output_padding[axis] +
         spread.dilations[axis] * (spread.kernel[axis] - 1) + 1;
}

/// Pads that make the output as large as it shall be; an odd one goes to the end with SAME_UPPER, else to the start.
/// What the output shall have more is added at its end.
void pad_to(Spread& spread, const Shape& x, const std::vector<int64_t>& sizes, bool upper) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t total = whole_size(spread, x, axis) - sizes[axis], most = std::max<int64_t>(total, 0);
    spread.pads[axis] = upper ? most / 2 : most - most / 2;
    spread.pads[axis + 2] = total - spread.pads[axis];
  }
}

/// \param axes  1 or 2, in the node.   \param x  [N, C, H, W].
Spread read_spread(OnnxNode& node, std::size_t axes, const Shape& x, const std::vector<int64_t>& kernel) {
  Spread spread{kernel,
                read_axes(node, "strides", axes, 1),
                read_axes(node, "dilations", axes, 1),
                read_axes(node, "output_padding", axes, 0),
                {}};
  const std::vector<int64_t> pads = read_axes(node, "pads", 2 * axes, 0);
  spread.pads = axes == 2 ? pads : std::vector<int64_t>{0, pads[0], 0, pads[1]};
  node.check(!node.has_attribute("kernel_shape") || read_axes(node, "kernel_shape", axes, 1) == kernel,
             "kernel_shape differs from the weights' shape");
  const std::string auto_pad = node.read_text("auto_pad", "NOTSET");
  const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  node.check(is_same || auto_pad == "NOTSET" || auto_pad == "VALID",
             "auto_pad=" + auto_pad + " is not supported; NOTSET, VALID, SAME_UPPER and SAME_LOWER are");
  if (node.has_attribute("output_shape")) {
    pad_to(spread, x, read_axes(node, "output_shape", axes, 1), auto_pad == "SAME_UPPER");
  } else if (is_same) {
    // A stride for each element; what no window reaches is not added, as ONNX Runtime has it.
    const auto same_size = [&](std::size_t axis) {
      return std::min(x[axis + 2] * spread.strides[axis], whole_size(spread, x, axis));
    };
    pad_to(spread, x, {same_size(0), same_size(1)}, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "VALID") {
    spread.pads = {0, 0, 0, 0};
  }
  return spread;
}

/// [N, C, H, W] as [N, C, H * strides[0], W * strides[1]], zeros behind each row and column.
NodeId stuff(ImportContext& context, const OnnxNode& node, NodeId x, const std::vector<int64_t>& strides) {
  const Shape shape = context.shape(x);
  if (strides == std::vector<int64_t>{1, 1}) {
    return x;
  }
  const Shape apart{1, shape[0] * shape[1] * shape[2], 1, shape[3], 1};
  x = context.call(node, "reshape", {x}, {{"newshape", apart}});
  const std::vector<int64_t> zeros{0, 0, 0, 0, 0, 0, 0, strides[0] - 1, 0, strides[1] - 1};
  x = context.call(node, "pad", {x}, {{"pads", zeros}, {"value", 0.0}});
  // [rows, strides[0], columns, strides[1]] is in the order of [rows * strides[0], columns * strides[1]].
  return context.call(node, "reshape", {x},
                      {{"newshape", Shape{shape[0], shape[1], shape[2] * strides[0], shape[3] * strides[1]}}});
}

/// Without the zeros behind the last row and column, and what negative pads cut off, which become 0.
NodeId crop(ImportContext& context, const OnnxNode& node, NodeId x, const std::vector<int64_t>& strides,
            std::vector<int64_t>& pads) {
  Shape begin(4), sizes = context.shape(x);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    begin[axis + 2] = std::max<int64_t>(-pads[axis], 0);
    sizes[axis + 2] -= begin[axis + 2] + std::max<int64_t>(-pads[axis + 2], 0) + strides[axis] - 1;
    node.check(sizes[axis + 2] > 0, "its pads leave nothing of the output");
  }
  for (int64_t& pad : pads) {
    pad = std::max<int64_t>(pad, 0);
  }
  return sizes == context.shape(x)
             ? x
             : context.call(node, "strided_slice", {x},
                            {{"begin", begin}, {"sizes", sizes}, {"strides", std::vector<int64_t>{1, 1, 1, 1}}});
}

}  // namespace

NodeId convert_conv_transpose(ImportContext& context, OnnxNode& node) {
  const std::size_t rank = context.shape(context.input(node, 0)).size();
  NodeId x = with_rows(context, node, context.input(node, 0)), w = with_rows(context, node, context.input(node, 1));
  const Shape shape = context.shape(x), filters = context.shape(w);
  const int64_t groups = node.read_int("group", 1);
  node.check(groups >= 1 && shape[1] == filters[0] && shape[1] % groups == 0,
             "channels don't fit: x is " + to_text(shape) + ", the weights are " + to_text(filters) + ", group is " +
                 std::to_string(groups));
  const Spread spread = read_spread(node, rank - 2, shape, {filters[2], filters[3]});
  std::vector<int64_t> pads(4);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = spread.dilations[axis] * (spread.kernel[axis] - 1);
    pads[axis] = reach - spread.pads[axis];
    pads[axis + 2] = reach - spread.pads[axis + 2] + spread.output_padding[axis];
  }
  x = crop(context, node, stuff(context, node, x, spread.strides), spread.strides, pads);
  w = turn_weights(context, node, w, groups);
  const NodeId conv = context.call(
      node, "nn.conv2d", {x, w},
      {{"strides", std::vector<int64_t>{1, 1}}, {"dilations", spread.dilations}, {"pads", pads}, {"groups", groups}});
  const auto bias = context.optional_input(node, 2);
  return with_rank(context, node,
                   bias ? context.call(node, "nn.bias_add", {conv, *bias}, {{"axis", int64_t{1}}}) : conv, rank);
}

}  // namespace fovea
