// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the table of operators, and converts those that ONNX spells otherwise.
#include "operator_calls.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "ops/channels.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::shared_ptr<const Tensor> integers(const std::vector<int64_t>& values) {
  return std::make_shared<const Tensor>(Tensor::of({static_cast<int64_t>(values.size())}, values));
}

/// The nearest number that an element can hold.
double saturate(double value, ElementType element) {
  switch (element) {
    case ElementType::kUint8:
      return std::clamp(value, 0.0, 255.0);
    case ElementType::kInt8:
      return std::clamp(value, -128.0, 127.0);
    default:
      return value;
  }
}

/// An attribute as an input: a list of int64, or a number of the call's own type.
std::shared_ptr<const Tensor> tensor_of(const Attribute& attribute, ElementType element) {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return integers(*list);
  }
  Tensor scalar({{}, element});
  scalar.set(0, saturate(std::get<double>(attribute), element));
  return std::make_shared<const Tensor>(std::move(scalar));
}

OnnxCall call_on_inputs(const std::string& op, const Node& call) {
  OnnxCall result(op);
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    result.reads(i);
  }
  return result;
}

/// \param attributes  What becomes of them, as exporters.def says.
OnnxCall renamed_call(const Node& call, const std::string& op, const std::string& attributes) {
  OnnxCall result = call_on_inputs(op, call);
  result.attributes = call.attributes;
  std::istringstream words(attributes);
  for (std::string word; words >> word;) {
    const std::string from = word.substr(0, word.find(':')), to = word.substr(word.find(':') + 1);
    const auto attribute = result.attributes.extract(from);
    internal_check(!attribute.empty(), op + " is exported without an attribute " + from);
    if (to == "input") {
      result.reads(from, tensor_of(attribute.mapped(), call.type.element));
    } else {
      result.set(to, attribute.mapped());
    }
  }
  return result;
}

/// \param result  Of DynamicQuantizeLinear's, integers, scale and zero point, which is meant.
std::vector<OnnxCall> dynamic_quantize_calls(const Node& call, std::size_t result) {
  OnnxCall quantize = call_on_inputs("DynamicQuantizeLinear", call);
  quantize.result = result;
  return {quantize};
}

std::vector<OnnxCall> dynamic_scale_calls(const Node& call) { return dynamic_quantize_calls(call, 1); }

std::vector<OnnxCall> dynamic_zero_point_calls(const Node& call) { return dynamic_quantize_calls(call, 2); }

/// Its bias a number a filter or column, as Add broadcasts it.
std::vector<OnnxCall> bias_add_calls(const Node& call) {
  std::vector<int64_t> shape(call.type.shape.size(), 1);
  const int64_t axis = int_attribute(call, "axis", 1), rank = static_cast<int64_t>(shape.size());
  shape.at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis)) = -1;
  return {OnnxCall("Reshape").reads(1).reads("shape", integers(shape)), OnnxCall("Add").reads(0).reads_result()};
}

std::vector<OnnxCall> dense_calls(const Node& call) { return {call_on_inputs("Gemm", call).set("transB", int64_t{1})}; }

std::vector<OnnxCall> gelu_tanh_calls(const Node& call) {
  return {call_on_inputs("Gelu", call).set("approximate", std::string("tanh"))};
}

/// Its ends are where it would go on; before the first element that is the least number.
std::vector<OnnxCall> strided_slice_calls(const Node& call) {
  const auto begin = ints_attribute(call, "begin", {}), sizes = ints_attribute(call, "sizes", {});
  const auto strides = ints_attribute(call, "strides", {});
  std::vector<int64_t> ends, axes;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    const int64_t end = begin[axis] + sizes[axis] * strides[axis];
    ends.push_back(end < 0 ? std::numeric_limits<int64_t>::min() : end);
    axes.push_back(static_cast<int64_t>(axis));
  }
  return {call_on_inputs("Slice", call)
              .reads("starts", integers(begin))
              .reads("ends", integers(ends))
              .reads("axes", integers(axes))
              .reads("steps", integers(strides))};
}

/// Elements gathered along each axis, with an axis of taps before it, times their weights, added up over the taps.
std::vector<OnnxCall> resample_calls(const Node& call) {
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {}), sizes = ints_attribute(call, "sizes", {});
  const std::size_t rank = call.type.shape.size() + axes.size();
  const int64_t taps = int_attribute(call, "taps", 1);
  std::vector<OnnxCall> calls;
  std::vector<std::size_t> weights;  // Places of what makes those of each axis.
  std::vector<int64_t> tap_axes;
  int64_t start = 0;
  std::size_t gathered = 0;  // The place of the last Gather.
  const auto add = [&](OnnxCall each) { calls.push_back(std::move(each)); };
  const auto add_part = [&](std::size_t input, const std::vector<int64_t>& shape, int64_t end) {
    add(OnnxCall("Slice").reads(input).reads("starts", integers({start})).reads("ends", integers({end})));
    add(OnnxCall("Reshape").reads_result().reads("shape", integers(shape)));
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] + static_cast<int64_t>(i), end = start + taps * sizes[i];
    std::vector<int64_t> shape(rank - static_cast<std::size_t>(axis), 1);
    shape[0] = taps;
    shape[1] = sizes[i];
    add_part(2, shape, end);
    weights.push_back(calls.size() - 1);
    add_part(1, {taps, sizes[i]}, end);
    OnnxCall gather("Gather");
    i == 0 ? gather.reads(0) : gather.reads_result(calls.size() - gathered);
    add(gather.reads_result().set("axis", axis));
    gathered = calls.size() - 1;
    tap_axes.push_back(axis);
    start = end;
  }
  std::size_t weight = weights.back();
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    add(OnnxCall("Mul").reads_result(calls.size() - weight).reads_result(calls.size() - weights[i - 1]));
    weight = calls.size() - 1;
  }
  add(OnnxCall("Mul").reads_result(calls.size() - gathered).reads_result(calls.size() - weight));
  add(OnnxCall("ReduceSum").reads_result().reads("axes", integers(tap_axes)).set("keepdims", int64_t{0}));
  return calls;
}

/// Dilations, which AveragePool has from opset 19 on, only where there are some.
std::vector<OnnxCall> avg_pool_calls(const Node& call) {
  OnnxCall pool = renamed_call(call, "AveragePool", "kernel:kernel_shape");
  if (ints_attribute(call, "dilations", {}) == std::vector<int64_t>{1, 1}) {
    pool.attributes.erase("dilations");
  }
  return {pool};
}

/// Where the first k elements along an axis are.
OnnxCall places_call(OnnxCall reader, int64_t axis, int64_t k, int64_t largest) {
  reader.reads("k", integers({k})).set("axis", axis).set("largest", largest);
  reader.result = 1;
  return reader;
}

/// The place of each element in the order is where it is in the places of all elements in order.
std::vector<OnnxCall> rank_calls(const Node& call) {
  const std::size_t axis = read_axis(call, call.type.shape);
  const auto place = static_cast<int64_t>(axis);
  const int64_t size = call.type.shape[axis];
  return {places_call(OnnxCall("TopK").reads(0), place, size, int_attribute(call, "largest", 1)),
          places_call(OnnxCall("TopK").reads_result(), place, size, 0)};
}

std::vector<OnnxCall> topk_calls(const Node& call) {
  return {places_call(OnnxCall("TopK").reads(0), int_attribute(call, "axis", 0), int_attribute(call, "k", 0), 0)};
}

std::vector<OnnxCall> cumsum_calls(const Node& call) {
  OnnxCall cumsum = call_on_inputs("CumSum", call);
  cumsum.reads("axis", std::make_shared<const Tensor>(Tensor::of<int64_t>({}, {int_attribute(call, "axis", 0)})));
  return {
      cumsum.set("exclusive", int_attribute(call, "exclusive", 0)).set("reverse", int_attribute(call, "reverse", 0))};
}

std::vector<OnnxCall> remainder_calls(const Node& call) {
  return {call_on_inputs("Mod", call).set("fmod", int64_t{1})};
}

std::vector<OnnxCall> cast_calls(const Node& call) {
  return {call_on_inputs("Cast", call).set("to", int64_t{onnx_element_type(call.type.element)})};
}

}  // namespace

int onnx_element_type(ElementType element) {
  switch (element) {
    case ElementType::kFloat32:
      return onnx::TensorProto::FLOAT;
    case ElementType::kUint8:
      return onnx::TensorProto::UINT8;
    case ElementType::kInt8:
      return onnx::TensorProto::INT8;
    case ElementType::kInt32:
      return onnx::TensorProto::INT32;
    case ElementType::kInt64:
      return onnx::TensorProto::INT64;
    case ElementType::kBool:
      return onnx::TensorProto::BOOL;
  }
  return onnx::TensorProto::UNDEFINED;
}

std::vector<OnnxCall> operator_calls(const Node& call) {
#define FOVEA_EXPORT(name, onnx, attributes)       \
  if (is_call(call, name)) {                       \
    return {renamed_call(call, onnx, attributes)}; \
  }
#define FOVEA_EXPORT_WITH(name, function) \
  if (is_call(call, name)) {              \
    return function(call);                \
  }
#define FOVEA_ONNX(operator_, function, ...)
#define FOVEA_ONNX_AS(operator_, name, ...) FOVEA_EXPORT(name, #operator_, "")
#include "exporters.def"
#include "onnx/converters.def"
#undef FOVEA_EXPORT
#undef FOVEA_EXPORT_WITH
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS
  user_error(call_name(call) + ": there is no ONNX operator that is " + std::string(operation_of(call)) +
             "; the text that --stop-after eliminate-dead-code prints can be kept instead");
}

}  // namespace fovea
