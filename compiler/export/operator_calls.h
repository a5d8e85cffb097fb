// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an operator of the graph is in ONNX, by the table exporters.def.
#pragma once

#include <vector>

#include "layers/onnx_call.h"

namespace fovea {

/// A call as operators of opset 13, or of the first that has them. UserError, naming the ONNX node, where it has no
/// row.
std::vector<OnnxCall> operator_calls(const Node& call);

/// ONNX's number for an element type (TensorProto::DataType).
int onnx_element_type(ElementType element);

}  // namespace fovea
