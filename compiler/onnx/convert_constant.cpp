// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constant, ConstantOfShape, EyeLike, Range, Cast, CastLike, and what computes with shapes: Shape, Size, Gather,
/// GatherElements, Concat.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "converters.h"
#include "onnx_tensor.h"

namespace fovea {
namespace {

Tensor read_constant(const ImportContext& context, OnnxNode& node) {
  if (const auto* value = node.read_tensor("value")) {
    return context.read_tensor(*value, node.name());
  }
  if (node.has_attribute("value_float")) {
    return Tensor::of<float>({}, {node.read_float("value_float", 0)});
  }
  if (node.has_attribute("value_int")) {
    return Tensor::of<int64_t>({}, {node.read_int("value_int", 0)});
  }
  if (node.has_attribute("value_floats")) {
    const std::vector<float> values = node.read_floats("value_floats");
    return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
  }
  node.check(node.has_attribute("value_ints"),
             "Constant without a value that is supported; value, value_float(s) and value_int(s) are");
  const std::vector<int64_t> values = node.read_ints("value_ints", {});
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace

NodeId convert_constant(ImportContext& context, OnnxNode& node) {
  return context.builder.constant(read_constant(context, node), node.name());
}

NodeId convert_constant_of_shape(ImportContext& context, OnnxNode& node) {
  const auto* proto = node.read_tensor("value");
  const Tensor value = proto == nullptr ? Tensor::of<float>({}, {0}) : context.read_tensor(*proto, node.name());
  node.check(count_elements(value.type().shape) == 1, "value of ConstantOfShape must be one number");
  const Shape shape = context.ints_input(node, 0);
  return context.call(
      node, "full", {},
      {{"shape", shape}, {"value", value.at(0)}, {"dtype", std::string(to_text(value.type().element))}});
}

/// Cast to a type, CastLike to that of a value.
NodeId convert_cast(ImportContext& context, OnnxNode& node) {
  node.read_int("saturate", 1);        // Only floats of 8 bits may do without.
  node.read_text("round_mode", "up");  // Of floats of 8 bits too, from opset 24.
  const ElementType element = node.op() == "Cast"
                                  ? to_element_type(static_cast<int>(node.read_int("to", 0)), node.name())
                                  : context.type(context.input(node, 1)).element;
  return context.call(node, "cast", {context.input(node, 0)}, {{"dtype", std::string(to_text(element))}});
}

NodeId convert_eye_like(ImportContext& context, OnnxNode& node) {
  const TensorType x = context.type(context.input(node, 0));
  const int64_t k = node.read_int("k", 0);
  const ElementType element = node.has_attribute("dtype")
                                  ? to_element_type(static_cast<int>(node.read_int("dtype", 0)), node.name())
                                  : x.element;
  node.check(x.shape.size() == 2, "takes a matrix, [N, M], not " + to_text(x.shape));
  Tensor eye({x.shape, element});
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    if (row + k >= 0 && row + k < x.shape[1]) {
      eye.set(static_cast<std::size_t>(row * x.shape[1] + row + k), 1);
    }
  }
  return context.builder.constant(std::move(eye), node.name());
}

/// As ONNX Runtime adds up a step in the type of the ends.
NodeId convert_range(ImportContext& context, OnnxNode& node) {
  const Tensor start = context.constant_input(node, 0), limit = context.constant_input(node, 1);
  const Tensor step = context.constant_input(node, 2);
  for (const Tensor* each : {&start, &limit, &step}) {
    node.check(count_elements(each->type().shape) == 1 && each->type().element == start.type().element,
               "start, limit and delta of Range must be one number each, of one element type");
  }
  node.check(step.at(0) != 0, "delta of Range must not be 0");
  const double count = std::max(std::ceil((limit.at(0) - start.at(0)) / step.at(0)), 0.0);
  node.check(count <= kMostPlaces, "a Range of more than 2^20 elements is not supported");
  Tensor range({{static_cast<int64_t>(count)}, start.type().element});
  double value = start.at(0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    range.set(i, value);
    value = range.at(i) + step.at(0);
  }
  return context.builder.constant(std::move(range), node.name());
}

NodeId convert_shape(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0);
  const auto rank = static_cast<int64_t>(context.shape(x).size());
  const auto clip = [&](int64_t place) { return std::clamp<int64_t>(place < 0 ? place + rank : place, 0, rank); };
  const int64_t start = clip(node.read_int("start", 0)), end = clip(node.read_int("end", rank));
  const NodeId shape = context.call(node, "shape_of", {x});
  std::vector<int64_t> places(static_cast<std::size_t>(std::max<int64_t>(end - start, 0)));
  std::iota(places.begin(), places.end(), start);
  return context.take(node, shape, 0, places);
}

NodeId convert_size(ImportContext& context, OnnxNode& node) {
  const int64_t elements = count_elements(context.shape(context.input(node, 0)));
  return context.builder.constant(Tensor::of<int64_t>({}, {elements}), node.name());
}

/// Constant indices are places that are known; by more than a row of them: by all of them in a row.
NodeId convert_gather(ImportContext& context, OnnxNode& node) {
  const NodeId x = context.input(node, 0), indices = context.input(node, 1);
  const Shape from = context.shape(x), wanted = context.shape(indices);
  const std::size_t axis = node.normalize_axis(node.read_int("axis", 0), from.size());
  if (!context.is_constant(indices)) {
    return context.call(node, "gather", {x, indices}, {{"axis", static_cast<int64_t>(axis)}});
  }
  const NodeId places = context.constant_value_input(node, 1);
  const auto take = [&](NodeId by) {
    return context.call(node, "take", {x, by}, {{"axis", static_cast<int64_t>(axis)}});
  };
  if (wanted.size() <= 1) {
    return take(places);
  }
  const NodeId row = context.call(node, "reshape", {places}, {{"newshape", Shape{count_elements(wanted)}}});
  Shape shape = from;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), wanted.begin(), wanted.end());
  return context.call(node, "reshape", {take(row)}, {{"newshape", shape}});
}

NodeId convert_gather_elements(ImportContext& context, OnnxNode& node) {
  return context.call(node, "gather_elements", {context.input(node, 0), context.input(node, 1)},
                      {{"axis", node.read_int("axis", 0)}});
}

/// A concatenation of one is its part.
NodeId convert_concat(ImportContext& context, OnnxNode& node) {
  node.check(!node.inputs().empty(), "Concat needs an input");
  std::vector<NodeId> parts;
  for (int place = 0; place < static_cast<int>(node.inputs().size()); ++place) {
    parts.push_back(context.input(node, place));
  }
  const int64_t axis = node.read_int("axis", 0);
  node.normalize_axis(axis, context.shape(parts.at(0)).size());
  return parts.size() == 1 ? parts[0] : context.call(node, "concatenate", parts, {{"axis", axis}});
}

}  // namespace fovea
