// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the elements of transposes, pads, slices and reshapes come from, an index an axis.
#include "move_definition.h"

#include <algorithm>
#include <iterator>

#include "loops/index_arithmetic.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Without axes of one index.
Shape squeezed(const Shape& shape) {
  Shape all;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(all), [](int64_t size) { return size != 1; });
  return all;
}

Definition move_definition(const Node& call, const TensorType& x) {
  DefinitionBuilder builder({x}, call.type.shape);
  std::vector<Expression> indices(x.shape.size(), index_number(0));
  Expression outside;
  if (is_call(call, "transpose")) {
    const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      indices[static_cast<std::size_t>(axes[axis])] = builder.place(axis);
    }
  } else if (is_call(call, "pad")) {
    const std::vector<int64_t> pads = ints_attribute(call, "pads", {});
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      indices[axis] = difference(builder.place(axis), index_number(pads[axis]));
    }
    outside = float_attribute(call, "value", 0);
  } else if (is_call(call, "strided_slice")) {
    const auto begin = ints_attribute(call, "begin", {}), strides = ints_attribute(call, "strides", {});
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      indices[axis] = sum(product(builder.place(axis), strides[axis]), index_number(begin[axis]));
    }
  } else {  // A reshape: axes of more than one index follow each other as they did.
    std::size_t from = 0;
    for (std::size_t axis = 0; axis < call.type.shape.size(); ++axis) {
      if (call.type.shape[axis] != 1) {
        from += static_cast<std::size_t>(std::find_if(x.shape.begin() + static_cast<std::ptrdiff_t>(from),
                                                      x.shape.end(), [](int64_t size) { return size != 1; }) -
                                         (x.shape.begin() + static_cast<std::ptrdiff_t>(from)));
        indices[from++] = builder.place(axis);
      }
    }
  }
  return builder.result(builder.at(0, indices, outside));
}

}  // namespace

bool is_plain_move(const Graph& graph, const Node& node) {
  return is_call(node, "transpose") || is_call(node, "pad") || is_call(node, "strided_slice") ||
         (is_call(node, "reshape") && squeezed(node.type.shape) == squeezed(graph[node.inputs[0]].type.shape));
}

Definition definition_of_call(const Graph& graph, const Node& call) {
  std::vector<TensorType> types;
  for (const NodeId input : call.inputs) {
    types.push_back(graph[input].type);
  }
  return is_plain_move(graph, call) ? move_definition(call, types[0]) : *definition_of(call, types);
}

}  // namespace fovea
