// SPDX-License-Identifier: Apache-2.0
/// \file
/// What of a graph of composites no layer computes, and why.
#pragma once

#include <map>
#include <string>

#include "ir/graph.h"

namespace fovea {

/// Something in the way of a compilation.
struct Refusal {
  std::string node;       ///< Its name in the ONNX graph.
  std::string operation;  ///< "LSTM", or the IR's name of it: "clip".
  std::string message;    ///< One line, as a UserError's.
};

/// The refusals of a graph's own operators, by node: what is "unsupported", and what is in no composite, once an ONNX
/// node. Operators that hang together with an unsupported one are not refused: what they would be part of is not known.
std::map<NodeId, Refusal> find_refusals(const Graph& graph);

}  // namespace fovea
