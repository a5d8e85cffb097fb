// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a drawing says of operators, values and functions, as Graphviz labels: HTML-like texts, "<...>".
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// "conv2d": an operator without what it shares with others.
std::string operator_text(const Node& node);

/// Attributes that are not what they mostly are: "strides 2, pads 1".
std::string attributes_text(const Node& node);

/// "int8 16x3x3x3"; of a scalar that is known its value.
std::string constant_text(const Node& constant);

/// What integers stand for: "scale 0.5, zero point 128", "16 scales". \pre `node` is qnn.quantize or qnn.dequantize.
std::string scales_text(const Graph& graph, const Node& node);

/// Of what runs along an edge: "uint8 16x32x32", without the one picture.
std::string value_text(const TensorType& type);

/// A label: the first line bold, the second plain, the others small and grey and broken where they are long; empty ones
/// are left out.
std::string box_label(const std::string& title, const std::string& line, const std::vector<std::string>& more);

}  // namespace fovea
