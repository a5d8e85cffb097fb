// SPDX-License-Identifier: Apache-2.0
/// \file
/// QuantizeLinear, DequantizeLinear; and operators on quantized tensors (QLinearConv, ...), which become the float
/// operator between dequantize and quantize.
#include "converters.h"
#include "ir/quantization.h"
#include "ir/quantization_steps.h"
#include "ir/text_number.h"
#include "onnx_tensor.h"
#include "products.h"
#include "spec/dla_requant.h"

namespace fovea {
namespace {

/// Which axis scales lie along, where there is more than one.
constexpr int64_t kChannels = 1, kFilters = 0, kLast = -1;

/// The zero point that is given, or zeros of `element`, one a scale.
NodeId zero_point_of(ImportContext& context, const OnnxNode& node, int place, NodeId scale, ElementType element) {
  const std::optional<NodeId> given = context.optional_input(node, place);
  return given ? *given : context.builder.constant(Tensor({context.shape(scale), element}), node.name());
}

/// Refuses what can be no scale. One that is computed from the network's input is not known here.
NodeId scale_input(ImportContext& context, const OnnxNode& node, int place) {
  const NodeId scale = context.input(node, place);
  const auto values = constant_value(context.builder.so_far(), scale);
  if (values != nullptr && values->type().element == ElementType::kFloat32) {
    for (const float value : values->values<float>()) {
      node.check(dla_is_scale(value), "the scale " + number(value) + " is no positive finite number");
    }
  }
  return scale;
}

/// The float value of three inputs in a row: tensor, scale, zero point.
NodeId dequantize_input(ImportContext& context, const OnnxNode& node, int place, int64_t axis = kChannels) {
  const NodeId q = context.input(node, place), scale = scale_input(context, node, place + 1);
  const NodeId zero_point = zero_point_of(context, node, place + 2, scale, context.type(q).element);
  return context.call(node, "qnn.dequantize", {q, scale, zero_point}, {{"axis", axis}});
}

/// Quantizes `x` by two inputs in a row: scale, zero point.
NodeId quantize_result(ImportContext& context, const OnnxNode& node, NodeId x, int place, ElementType default_element,
                       int64_t axis = kChannels) {
  const NodeId scale = scale_input(context, node, place);
  const NodeId zero_point = zero_point_of(context, node, place + 1, scale, default_element);
  return context.call(node, "qnn.quantize", {x, scale, zero_point}, {{"axis", axis}});
}

ElementType element_of_input(ImportContext& context, const OnnxNode& node, int place) {
  return context.type(context.input(node, place)).element;
}

/// An int32 bias as a float value: its scale is that of the products, input scale times weight scale.
/// \param scales  Places of these two.
std::optional<NodeId> dequantize_bias(ImportContext& context, const OnnxNode& node, int place,
                                      std::pair<int, int> scales) {
  const std::optional<NodeId> bias = context.optional_input(node, place);
  if (!bias) {
    return std::nullopt;
  }
  const Tensor x = context.constant_input(node, scales.first), w = context.constant_input(node, scales.second);
  node.check(x.type().element == ElementType::kFloat32 && w.type().element == ElementType::kFloat32 &&
                 count_elements(x.type().shape) == 1,
             "the scales must be float32, one of the input and one, or one a filter, of the weights");
  Tensor scale(w.type());
  for (int64_t i = 0; i < count_elements(w.type().shape); ++i) {
    scale.values<float>()[static_cast<std::size_t>(i)] =
        x.values<float>()[0] * w.values<float>()[static_cast<std::size_t>(i)];
  }
  const Tensor zero_point({w.type().shape, ElementType::kInt32});
  const NodeId scale_id = context.builder.constant(std::move(scale), node.name());
  const NodeId zero_point_id = context.builder.constant(zero_point, node.name());
  return context.call(node, "qnn.dequantize", {*bias, scale_id, zero_point_id}, {{"axis", kLast}});
}

/// Refuses a type to compute in, or of the result, that is not float32, which is what 0 stands for.
void require_float32(OnnxNode& node, const std::string& attribute) {
  const int64_t type = node.read_int(attribute, 0);
  node.check(type == 0 || type == onnx::TensorProto::FLOAT,
             attribute + "=" + std::to_string(type) + " is not supported; 1, float32, is");
}

/// Scale and zero point, inputs 2 and 3, as they are broadcast to `x`.
QuantizationSteps read_steps(ImportContext& context, const OnnxNode& node, NodeId x, ElementType element, int64_t axis,
                             int64_t block_size) {
  const NodeId scale_id = scale_input(context, node, 1);
  const Tensor scale = context.constant_input(node, 1);
  const Tensor zero_point =
      node.has_input(2) ? context.constant_input(node, 2) : Tensor({context.shape(scale_id), element});
  return spread_quantization(scale, zero_point, context.shape(x), axis, block_size, node.name());
}

}  // namespace

NodeId convert_quantize_linear(ImportContext& context, OnnxNode& node) {
  node.read_int("saturate", 1);        // Only floats of 8 bits may do without.
  require_float32(node, "precision");  // From opset 23.
  const auto type = static_cast<int>(node.read_int("output_dtype", 0));
  const int64_t block_size = node.read_int("block_size", 0), axis = node.read_int("axis", kChannels);
  const NarrowType* narrow = node.has_input(2) ? context.narrow_type(node.inputs()[2]) : find_narrow_type(type);
  const ElementType element = narrow != nullptr   ? narrow->element
                              : node.has_input(2) ? element_of_input(context, node, 2)
                              : type == 0         ? ElementType::kUint8
                                                  : to_element_type(type, node.name());
  const bool is_meant = narrow != nullptr ? narrow->onnx_type == type
                                          : find_narrow_type(type) == nullptr &&
                                                (type == 0 || to_element_type(type, node.name()) == element);
  node.check(type == 0 || is_meant, "output_dtype differs from the zero point's type; give the one that is meant");
  const NodeId x = context.input(node, 0);
  if (block_size == 0 && (narrow == nullptr || narrow->element != ElementType::kInt32)) {
    const NodeId q = quantize_result(context, node, x, 1, element, axis);
    return narrow == nullptr ? q
                             : context.call(node, "clip", {q},
                                            {{"min", static_cast<double>(narrow->least)},
                                             {"max", static_cast<double>(narrow->most)}});
  }
  const auto [least, most] = narrow == nullptr ? range_of(element) : std::pair(narrow->least, narrow->most);
  return add_quantize_steps(context.builder, x, read_steps(context, node, x, element, axis, block_size), element, least,
                            most, node.name());
}

NodeId convert_dequantize_linear(ImportContext& context, OnnxNode& node) {
  require_float32(node, "output_dtype");  // From opset 23.
  const int64_t block_size = node.read_int("block_size", 0), axis = node.read_int("axis", kChannels);
  const NodeId q = context.input(node, 0);
  const NarrowType* narrow = context.narrow_type(node.inputs()[0]);
  // Biases of 16 bits may have any scale, as float32 ones.
  const bool is_wide_bias = narrow != nullptr && narrow->bits == 16 && context.shape(q).size() == 1;
  if (block_size == 0 && !is_wide_bias) {
    return dequantize_input(context, node, 0, axis);
  }
  return add_dequantize_steps(context.builder, q,
                              read_steps(context, node, q, context.type(q).element, axis, block_size), node.name());
}

/// x, its scale and zero point; w, its; those of the result; bias.
NodeId convert_qlinear_conv(ImportContext& context, OnnxNode& node) {
  const NodeId x = dequantize_input(context, node, 0), w = dequantize_input(context, node, 3, kFilters);
  const NodeId sum = add_conv(context, node, x, w, dequantize_bias(context, node, 8, {1, 4}));
  return quantize_result(context, node, sum, 6, element_of_input(context, node, 0));
}

/// a, its scale and zero point; b, its; those of the result.
NodeId convert_qlinear_mat_mul(ImportContext& context, OnnxNode& node) {
  const NodeId a = dequantize_input(context, node, 0), b = dequantize_input(context, node, 3, kLast);
  return quantize_result(context, node, add_mat_mul(context, node, a, b), 6, element_of_input(context, node, 0));
}

/// a, its scale and zero point; b, its; bias; scale and zero point of the result, which is float32 without them.
NodeId convert_qgemm(ImportContext& context, OnnxNode& node) {
  const bool is_transposed = node.read_int("transB", 0) != 0;
  const NodeId a = dequantize_input(context, node, 0);
  const NodeId b = dequantize_input(context, node, 3, is_transposed ? kFilters : kLast);
  const NodeId sum = add_gemm(context, node, a, b, dequantize_bias(context, node, 6, {1, 4}));
  return node.has_input(7) ? quantize_result(context, node, sum, 7, element_of_input(context, node, 0)) : sum;
}

/// a, its scale and zero point; b, its; those of the result.
NodeId convert_qlinear_add(ImportContext& context, OnnxNode& node) {
  const NodeId a = dequantize_input(context, node, 0), b = dequantize_input(context, node, 3);
  return quantize_result(context, node, add_sum(context, node, a, b), 6, element_of_input(context, node, 0));
}

/// The same inputs.
NodeId convert_qlinear_mul(ImportContext& context, OnnxNode& node) {
  const NodeId a = dequantize_input(context, node, 0), b = dequantize_input(context, node, 3);
  const NodeId product = context.call(node, "multiply", {a, b});
  return quantize_result(context, node, product, 6, element_of_input(context, node, 0));
}

/// x, its scale and zero point; those of the result.
NodeId convert_qlinear_average_pool(ImportContext& context, OnnxNode& node) {
  node.require_int("channels_last", 0);
  const NodeId mean = add_average_pool(context, node, dequantize_input(context, node, 0));
  return quantize_result(context, node, mean, 3, element_of_input(context, node, 0));
}

/// The same inputs.
NodeId convert_qlinear_global_average_pool(ImportContext& context, OnnxNode& node) {
  node.require_int("channels_last", 0);
  const NodeId mean = add_global_average_pool(context, node, dequantize_input(context, node, 0));
  return quantize_result(context, node, mean, 3, element_of_input(context, node, 0));
}

/// x, its scale and zero point; those of the result.
NodeId convert_qlinear_leaky_relu(ImportContext& context, OnnxNode& node) {
  const NodeId x = dequantize_input(context, node, 0);
  const NodeId y = context.call(node, "leaky_relu", {x}, {{"alpha", double{node.read_float("alpha", 0.01F)}}});
  return quantize_result(context, node, y, 3, element_of_input(context, node, 0));
}

/// x, its scale and zero point; those of the result.
NodeId convert_qlinear_sigmoid(ImportContext& context, OnnxNode& node) {
  const NodeId y = context.call(node, "sigmoid", {dequantize_input(context, node, 0)});
  return quantize_result(context, node, y, 3, element_of_input(context, node, 0));
}

/// x, its scale and zero point; those of the result. The opset that the axis is meant by is an attribute.
NodeId convert_qlinear_softmax(ImportContext& context, OnnxNode& node) {
  const NodeId x = dequantize_input(context, node, 0);
  const NodeId y = add_softmax(context, node, x, node.read_int("opset", context.opset));
  return quantize_result(context, node, y, 3, element_of_input(context, node, 0));
}

/// Scale and zero point of the result; then each part, its scale and zero point. One part is a change of scale.
NodeId convert_qlinear_concat(ImportContext& context, OnnxNode& node) {
  const auto inputs = static_cast<int>(node.inputs().size());
  node.check(inputs >= 5 && inputs % 3 == 2,
             "QLinearConcat needs scale and zero point of its result, and three inputs "
             "a part: tensor, scale, zero point");
  std::vector<NodeId> parts;
  for (int place = 2; place < inputs; place += 3) {
    parts.push_back(dequantize_input(context, node, place));
  }
  const int64_t axis = node.read_int("axis", kChannels);
  const NodeId whole = parts.size() == 1 ? parts[0] : context.call(node, "concatenate", parts, {{"axis", axis}});
  return quantize_result(context, node, whole, 0, element_of_input(context, node, 2));
}

}  // namespace fovea
