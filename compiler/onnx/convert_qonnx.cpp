// SPDX-License-Identifier: Apache-2.0
/// \file
/// QONNX's Quant (github.com/fastmachinelearning/qonnx, docs/qonnx-custom-ops): a value as the real number that
/// integers of up to 8 bits make of it.
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
  const Shape flat = axis ? Shape{count} : Shape{};
  Tensor scales({flat, ElementType::kFloat32}), zero_points({flat, element});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double zero_point = zero.at(zeros == 1 ? 0 : i);
    node.check(zero_point >= static_cast<double>(lowest) && zero_point <= static_cast<double>(highest) &&
                   zero_point == static_cast<int>(zero_point),
               "its zero point must be a whole number of " + std::string(to_text(element)));
    scales.set(i, scale.at(i));
    zero_points.set(i, zero_point);
  }
  const NodeId s = context.builder.constant(std::move(scales), node.name());
  const NodeId z = context.builder.constant(std::move(zero_points), node.name());
  const Attributes along{{"axis", static_cast<int64_t>(axis.value_or(0))}};
  NodeId q = context.call(node, "qnn.quantize", {x, s, z}, along);
  if (least != lowest || most != highest) {
    q = context.call(node, "clip", {q}, {{"min", static_cast<double>(least)}, {"max", static_cast<double>(most)}});
  }
  return context.call(node, "qnn.dequantize", {q, s, z}, along);
}

}  // namespace fovea
