// SPDX-License-Identifier: Apache-2.0
/// \file
/// What of a network runs where, and what is in the way.
#pragma once

#include <vector>

#include "layers/collect_layers.h"
#include "placement.h"

namespace fovea {

struct CheckedNetwork {
  Network network;                      ///< Its layers, without those that are refused.
  std::vector<PlacedRefusal> refusals;  ///< None where it compiles.
};

/// Runs everything up to the plan of the network, and keeps what is refused. Writes nothing.
/// \throws MachineError for the machine file.
CheckedNetwork check_network(const NetworkRequest& request);

}  // namespace fovea
