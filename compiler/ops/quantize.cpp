// SPDX-License-Identifier: Apache-2.0
/// \file
/// qnn.quantize and qnn.dequantize, as ONNX defines them: q = saturate(rne(x / scale) + zero_point) and back; not a
/// number becomes the lowest, as in ONNX Runtime.
///
/// scale and zero_point have one element, or one for each index of `axis`; the zero point's type is q's.
#include <algorithm>
#include <cmath>

#include "channels.h"
#include "ops.h"

namespace fovea {
namespace {

void check_parameters(const Node& call, const Shape& x, const TensorType& scale, const TensorType& zero_point) {
  const int64_t count = count_elements(scale.shape);
  check_call(scale.element == ElementType::kFloat32, call, "the scale must be float32");
  check_call(count_elements(zero_point.shape) == count, call, "scale and zero point must be equally many");
  check_call(count == 1 || count == x[read_axis(call, x)], call,
             "the scale must have one element or one a channel; here " + to_text(scale.shape) + " for " + to_text(x));
}

/// Which element of scale and zero point belongs to element `index` of x.
std::size_t parameter_of(const Node& call, const Shape& x, const Tensor& scale, std::size_t index) {
  return count_elements(scale.type().shape) == 1 ? 0 : channel_of(x, read_axis(call, x), index);
}

}  // namespace

TensorType quantize_type(const Node& call, const std::vector<TensorType>& inputs) {
  const ElementType element = inputs[2].element;
  check_call(inputs[0].element == ElementType::kFloat32, call, "only float32 can be quantized");
  check_call(element == ElementType::kUint8 || element == ElementType::kInt8, call,
             "a quantized tensor is uint8 or int8, not " + std::string(to_text(element)));
  check_parameters(call, inputs[0].shape, inputs[1], inputs[2]);
  return {inputs[0].shape, element};
}

Tensor evaluate_quantize(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(quantize_type(call, {inputs[0]->type(), inputs[1]->type(), inputs[2]->type()}));
  const auto x = inputs[0]->values<float>();
  const std::pair<double, double> range = range_of(result.type().element);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = parameter_of(call, result.type().shape, *inputs[1], i);
    const double steps = std::nearbyint(x[i] / inputs[1]->values<float>()[k]);
    result.set(i, std::isnan(steps) ? range.first : std::clamp(steps + inputs[2]->at(k), range.first, range.second));
  }
  return result;
}

TensorType dequantize_type(const Node& call, const std::vector<TensorType>& inputs) {
  const ElementType element = inputs[0].element;
  check_call(element == ElementType::kUint8 || element == ElementType::kInt8 || element == ElementType::kInt32, call,
             "only uint8, int8 and int32 can be dequantized, not " + std::string(to_text(element)));
  check_call(inputs[2].element == element, call,
             "the zero point is " + std::string(to_text(inputs[2].element)) + " but the tensor is " +
                 std::string(to_text(element)));
  check_parameters(call, inputs[0].shape, inputs[1], inputs[2]);
  return {inputs[0].shape, ElementType::kFloat32};
}

Tensor evaluate_dequantize(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(dequantize_type(call, {inputs[0]->type(), inputs[1]->type(), inputs[2]->type()}));
  const auto y = result.values<float>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t k = parameter_of(call, result.type().shape, *inputs[1], i);
    y[i] = static_cast<float>(inputs[0]->at(i) - inputs[2]->at(k)) * inputs[1]->values<float>()[k];
  }
  return result;
}

}  // namespace fovea
