// SPDX-License-Identifier: Apache-2.0
/// \file
/// What of a network runs where, and what is in the way.
#pragma once

#include <string>
#include <vector>

#include "layers/collect_layers.h"
#include "placement.h"

namespace fovea {

/// A layer on integers that ONNX Runtime computes in float32.
struct FloatInOnnxRuntime {
  std::string layer, node, why;  ///< Our name, the ONNX node's, and the reason: compiler/onnx/kept_in_float.h.
};

struct CheckedNetwork {
  Network network;                                        ///< Its layers, without those that are refused.
  std::vector<PlacedRefusal> refusals;                    ///< None where it compiles.
  std::vector<FloatInOnnxRuntime> float_in_onnx_runtime;  ///< Beside a tie its answer may be a step away.
  std::string missing_data;  ///< Which weights are missing, where the figures are of shapes only; else "".
};

/// Runs everything up to the plan of the network, and keeps what is refused. Writes nothing.
/// \throws MachineError for the machine file.
CheckedNetwork check_network(const NetworkRequest& request);

}  // namespace fovea
