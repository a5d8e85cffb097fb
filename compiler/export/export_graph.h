// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a graph as an ONNX model.
#pragma once

#include <string>

#include "ir/graph.h"

namespace fovea {

/// The bytes of an ONNX file of opset 13. Operators become ONNX's (QDQ form); a composite becomes what its kind of
/// layer says of itself on 8-bit values (QLinear form), or else its operators. Nodes, inputs and outputs keep their
/// names. UserError, naming the node, where ONNX has no such operator. \param name  Of the network.
std::string export_graph(const Graph& graph, const std::string& name);

}  // namespace fovea
