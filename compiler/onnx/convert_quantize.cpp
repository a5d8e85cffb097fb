// SPDX-License-Identifier: Apache-2.0
/// \file
/// QuantizeLinear, DequantizeLinear.
#include "converters.h"

namespace fovea {
namespace {

/// The zero point that is given, or zeros of `element`, one a scale.
NodeId zero_point_of(ImportContext& context, const OnnxNode& node, NodeId scale, ElementType element) {
  if (node.has_input(2)) {
    return context.input(node, 2);
  }
  return context.builder.constant(Tensor({context.shape(scale), element}), node.name());
}

NodeId convert(ImportContext& context, OnnxNode& node, std::string_view op, ElementType default_element) {
  const NodeId x = context.input(node, 0), scale = context.input(node, 1);
  const NodeId zero_point = zero_point_of(context, node, scale, default_element);
  return context.call(node, op, {x, scale, zero_point}, {{"axis", node.read_int("axis", 1)}});
}

}  // namespace

NodeId convert_quantize_linear(ImportContext& context, OnnxNode& node) {
  return convert(context, node, "qnn.quantize", ElementType::kUint8);
}

NodeId convert_dequantize_linear(ImportContext& context, OnnxNode& node) {
  return convert(context, node, "qnn.dequantize", context.type(context.input(node, 0)).element);
}

}  // namespace fovea
