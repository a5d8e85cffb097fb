// SPDX-License-Identifier: Apache-2.0
/// \file
/// qnn.quantize and qnn.dequantize, as ONNX defines them: q = saturate(rne(x / scale) + zero_point) and back; not a
/// number becomes the lowest, as in ONNX Runtime.
///
/// scale and zero_point have one element, or one for each index of `axis`; the zero point's type is q's.
#include "channels.h"
#include "definition.h"
#include "ops.h"

namespace fovea {
namespace {

void check_parameters(const Call& call, const Shape& x, const TensorType& scale, const TensorType& zero_point) {
  const int64_t count = count_elements(scale.shape);
  check_call(scale.element == ElementType::kFloat32, call, "the scale must be float32");
  check_call(count_elements(zero_point.shape) == count, call, "scale and zero point must be equally many");
  check_call(count == 1 || count == x[read_axis(call, x)], call,
             "the scale must have one element or one a channel; here " + to_text(scale.shape) + " for " + to_text(x));
}

/// The element of scale (input 1) or zero point (input 2) that belongs to the result's place.
Expression parameter(const Call& call, const DefinitionBuilder& builder, const std::vector<TensorType>& inputs,
                     std::size_t i) {
  const Shape& shape = inputs[i].shape;
  const bool is_one = count_elements(shape) == 1;
  std::vector<Expression> indices(shape.size(), integer_number(0, ScalarType::kIndex));
  if (!is_one) {
    indices.back() = builder.place(read_axis(call, inputs[0].shape));
  }
  return builder.at(i, indices);
}

}  // namespace

TensorType quantize_type(const Call& call, const std::vector<TensorType>& inputs) {
  const ElementType element = inputs[2].element;
  check_call(inputs[0].element == ElementType::kFloat32, call, "only float32 can be quantized");
  check_call(element == ElementType::kUint8 || element == ElementType::kInt8, call,
             "a quantized tensor is uint8 or int8, not " + std::string(to_text(element)));
  check_parameters(call, inputs[0].shape, inputs[1], inputs[2]);
  return {inputs[0].shape, element};
}

TensorType dequantize_type(const Call& call, const std::vector<TensorType>& inputs) {
  const ElementType element = inputs[0].element;
  check_call(element == ElementType::kUint8 || element == ElementType::kInt8 || element == ElementType::kInt32, call,
             "only uint8, int8 and int32 can be dequantized, not " + std::string(to_text(element)));
  check_call(inputs[2].element == element, call,
             "the zero point is " + std::string(to_text(inputs[2].element)) + " but the tensor is " +
                 std::string(to_text(element)));
  check_parameters(call, inputs[0].shape, inputs[1], inputs[2]);
  return {inputs[0].shape, ElementType::kFloat32};
}

Definition define_quantize(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const auto [least, most] = range_of(inputs[2].element);
  const Expression steps = round(float32(builder.broadcast(0) / parameter(call, builder, inputs, 1)));
  const Expression y = steps + real(parameter(call, builder, inputs, 2));
  return builder.result(integer(clamped(y, static_cast<double>(least), static_cast<double>(most))));
}

Definition define_dequantize(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  const Expression steps = real(builder.broadcast(0) - parameter(call, builder, inputs, 2));
  return builder.result(float32(steps) * parameter(call, builder, inputs, 1));
}

}  // namespace fovea
