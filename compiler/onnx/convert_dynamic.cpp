// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantization at run time: DynamicQuantizeLinear, and the products that follow it, ConvInteger and MatMulInteger.
///
/// The products' int32 results are the float32 numbers that the Cast behind them makes of them; nothing else may read
/// them.
#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

/// Integers as the float32 numbers that they are, less a constant zero point.
NodeId to_float(ImportContext& context, const OnnxNode& node, NodeId integers, const Tensor& zero_point, int64_t axis) {
  Tensor ones({zero_point.type().shape, ElementType::kFloat32});
  for (float& one : ones.values<float>()) {
    one = 1;
  }
  const NodeId scale = context.builder.constant(std::move(ones), node.name());
  const NodeId zero = context.builder.constant(zero_point, node.name());
  return context.call(node, "qnn.dequantize", {integers, scale, zero}, {{"axis", axis}});
}

NodeId to_float(ImportContext& context, const OnnxNode& node, NodeId integers) {
  return to_float(context, node, integers, Tensor({{}, context.type(integers).element}), 0);
}

/// An operand of a product: tensor, and further on its zero point, which may be left out or computed.
NodeId read_operand(ImportContext& context, const OnnxNode& node, int place, int64_t axis) {
  const NodeId integers = context.input(node, place);
  const std::optional<NodeId> zero_point = context.optional_input(node, place + 2);
  if (!zero_point) {
    return to_float(context, node, integers);
  }
  if (context.is_constant(*zero_point)) {
    return to_float(context, node, integers, context.constant_input(node, place + 2), axis);
  }
  node.check(context.shape(*zero_point).empty(), "a zero point that is computed must be one number");
  return context.call(node, "subtract", {to_float(context, node, integers), to_float(context, node, *zero_point)});
}

/// Beyond 2^24 a float32 number is not the integer, so that only what makes such of it may read it.
void check_is_cast(ImportContext& context, const OnnxNode& node) {
  const std::string reader = context.reader_other_than("Cast", node.outputs()[0]);
  node.check(reader.empty(), "is read by " + reader + "; a sum of int32 works before a Cast to float32");
}

}  // namespace

NodeId convert_dynamic_quantize_linear(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const NodeId scale = context.call(node, "qnn.dynamic_scale", {x});
  const NodeId zero_point = context.call(node, "qnn.dynamic_zero_point", {x});
  const NodeId steps = context.call(node, "round", {context.call(node, "divide", {x, scale})});
  const NodeId moved = context.call(node, "add", {steps, to_float(context, node, zero_point)});
  const NodeId one = context.number(node, 1);
  const NodeId zero = context.builder.constant(Tensor({{}, ElementType::kUint8}), node.name());
  const std::vector<std::string> outputs = node.outputs();
  node.check(outputs.size() == 3 && !outputs[1].empty() && !outputs[2].empty(),
             "DynamicQuantizeLinear makes three outputs; the model is damaged");
  context.define(outputs[1], scale);
  context.define(outputs[2], zero_point);
  return context.call(node, "qnn.quantize", {moved, one, zero}, {{"axis", int64_t{0}}});
}

NodeId convert_conv_integer(ImportContext& context, OnnxNode& node) {
  check_is_cast(context, node);
  const NodeId x = read_operand(context, node, 0, 1), w = read_operand(context, node, 1, 0);
  return add_conv(context, node, x, w, std::nullopt);
}

NodeId convert_mat_mul_integer(ImportContext& context, OnnxNode& node) {
  check_is_cast(context, node);
  const NodeId a = read_operand(context, node, 0, 0), b = read_operand(context, node, 1, -1);
  return add_mat_mul(context, node, a, b);
}

}  // namespace fovea
