// SPDX-License-Identifier: Apache-2.0
/// \file
/// QONNX's Quant and BipolarQuant (github.com/fastmachinelearning/qonnx, docs/qonnx-custom-ops): a value as the real
/// number that integers of up to 8 bits, or -1 and 1, make of it.
#include <algorithm>

#include "converters.h"
#include "ir/quantization.h"

namespace fovea {
namespace {

/// Axis along which there is one number each; nothing where there is one in all.
std::optional<std::size_t> find_axis(const OnnxNode& node, const Shape& parameter, const Shape& x) {
  const auto is_long = [](int64_t size) { return size != 1; };
  const auto first = std::ranges::find_if(parameter, is_long);
  if (first == parameter.end()) {
    return std::nullopt;
  }
  const std::size_t axis = x.size() - parameter.size() + static_cast<std::size_t>(first - parameter.begin());
  node.check(
      std::ranges::count_if(parameter, is_long) == 1 && parameter.size() <= x.size() && *first == x[axis],
      "its scale has the shape " + to_text(parameter) + "; one number, or one for each index of one axis, works");
  return axis;
}

/// Scales as a list, or as one number where there is no axis.
NodeId add_list(ImportContext& context, const OnnxNode& node, const Tensor& scale, std::optional<std::size_t> axis) {
  const int64_t count = count_elements(scale.type().shape);
  Tensor list({axis ? Shape{count} : Shape{}, ElementType::kFloat32});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    list.set(i, scale.at(i));
  }
  return context.builder.constant(std::move(list), node.name());
}

}  // namespace

/// x, scale, zero point, bits: dequantize(clip(quantize(x))).
NodeId convert_qonnx_quant(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Tensor scale = context.constant_input(node, 1), zero = context.constant_input(node, 2);
  const Tensor width = context.constant_input(node, 3);
  const bool is_signed = node.read_int("signed", 1) != 0, is_narrow = node.read_int("narrow", 0) != 0;
  const std::string rounding = node.read_text("rounding_mode", "ROUND");
  node.check(rounding == "ROUND", "rounding_mode is " + rounding + "; ROUND, to nearest even, works");
  node.check(count_elements(width.type().shape) == 1 && width.at(0) >= 2 && width.at(0) <= 8 &&
                 width.at(0) == static_cast<int>(width.at(0)),
             "its bits must be one whole number of 2 to 8");
  const int bits = static_cast<int>(width.at(0));
  const int least = is_signed ? -(1 << (bits - 1)) + (is_narrow ? 1 : 0) : 0;
  const int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1 - (is_narrow ? 1 : 0);
  const Shape shape = context.shape(x);
  const auto axis = find_axis(node, scale.type().shape, shape);
  const int64_t count = count_elements(scale.type().shape), zeros = count_elements(zero.type().shape);
  node.check(zeros == 1 || zeros == count, "its zero point must be one number, or one for each scale");
  const ElementType element = is_signed ? ElementType::kInt8 : ElementType::kUint8;
  const auto [lowest, highest] = range_of(element);
  Tensor zero_points({axis ? Shape{count} : Shape{}, element});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double zero_point = zero.at(zeros == 1 ? 0 : i);
    node.check(zero_point >= static_cast<double>(lowest) && zero_point <= static_cast<double>(highest) &&
                   zero_point == static_cast<int>(zero_point),
               "its zero point must be a whole number of " + std::string(to_text(element)));
    zero_points.set(i, zero_point);
  }
  const NodeId s = add_list(context, node, scale, axis);
  const NodeId z = context.builder.constant(std::move(zero_points), node.name());
  const Attributes along{{"axis", static_cast<int64_t>(axis.value_or(0))}};
  NodeId q = context.call(node, "qnn.quantize", {x, s, z}, along);
  if (least != lowest || most != highest) {
    q = context.call(node, "clip", {q}, {{"min", static_cast<double>(least)}, {"max", static_cast<double>(most)}});
  }
  return context.call(node, "qnn.dequantize", {q, s, z}, along);
}

/// x, scale: scale where x is 0 or more, -scale elsewhere.
NodeId convert_qonnx_bipolar_quant(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const Tensor scale = context.constant_input(node, 1);
  const auto axis = find_axis(node, scale.type().shape, context.shape(x));
  // -1 and 0, then -1 and 1.
  const NodeId signs = context.call(node, "clip", {context.call(node, "floor", {x})}, {{"min", -1.0}, {"max", 0.0}});
  const NodeId doubled = context.call(node, "multiply", {signs, context.number(node, 2)});
  const NodeId bipolar = context.call(node, "add", {doubled, context.number(node, 1)});
  const auto zeros = [&](const Shape& shape) {
    return context.builder.constant(Tensor({shape, ElementType::kInt8}), node.name());
  };
  const NodeId q =
      context.call(node, "qnn.quantize", {bipolar, context.number(node, 1), zeros({})}, {{"axis", int64_t{0}}});
  const NodeId scales = add_list(context, node, scale, axis);
  return context.call(node, "qnn.dequantize", {q, scales, zeros(context.shape(scales))},
                      {{"axis", static_cast<int64_t>(axis.value_or(0))}});
}

}  // namespace fovea
