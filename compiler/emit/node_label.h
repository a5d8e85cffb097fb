// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a drawing says of a graph, a node and a function, as Graphviz labels: HTML-like texts, "<...>".
#pragma once

#include <string>

#include "ir/graph.h"

namespace fovea {

/// A title: bold.
std::string title_label(const std::string& title);

/// Operator, ONNX name, attributes, scalar inputs by name (a quantization's scale and zero point), and the type of its
/// value. \pre `node` is in `graph`.
std::string node_label(const Graph& graph, const Node& node);

/// Name of the layer (may be ""), of the composite or region, its target, and why it is not on the accelerator.
std::string function_label(const Function& function, const std::string& layer);

}  // namespace fovea
