// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the compiler says of a network in <network>.json, beside its code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "network.h"

namespace fovea {

/// A layer that the CPU runs beside the accelerator.
struct HostLayer {
  std::string name, composite, reason;
  uint64_t macs = 0, bytes = 0;  ///< Multiplied; moved.
};

/// What the compiler counts inside the array, of a layer on the accelerator.
struct ArrayAccesses {
  uint64_t macs = 0, ifmap_spad = 0;
  uint64_t pe_ifmap = 0, pe_filter = 0, pe_psum = 0;  ///< From networks, and from PE to PE.
};

struct NetworkSummary {
  uint64_t batch = 1;             ///< Pictures of one run.
  uint64_t predicted_cycles = 0;  ///< Of one run, on the accelerator.
  uint64_t macs = 0;              ///< Of all layers.
  std::vector<HostLayer> on_host;
  std::map<std::string, ArrayAccesses> in_array;  ///< By the accelerator's layers.
};

/// Empty where the folder holds no summary, as of a network that foveac did not write.
NetworkSummary read_summary(const CompiledNetwork& network);

}  // namespace fovea
