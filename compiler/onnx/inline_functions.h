// SPDX-License-Identifier: Apache-2.0
/// \file
/// Calls of a model's own functions become the nodes that the functions are.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

namespace fovea {

/// The graph with the nodes of the model's functions in place of the nodes that call them, also where a function calls
/// another; nothing where no node calls one. An operator that can be imported is not looked up among the functions, as
/// in ONNX Runtime. Values and nodes of a function have the name of the call and a slash in front. An attribute that
/// refers to the function's is the call's, else the function's default, else left out.
/// UserError naming call and function where a function is there twice, calls itself, is called with more inputs or
/// outputs than it has, makes none of its outputs, or imports an opset of ONNX that is not taken; or where all of them
/// together are too large.
std::optional<onnx::GraphProto> inline_functions(const onnx::ModelProto& model, const onnx::GraphProto& graph);

}  // namespace fovea
