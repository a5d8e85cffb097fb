// SPDX-License-Identifier: Apache-2.0
/// \file
/// The regions that a network is cut into: where each runs, why, what it computes and what crosses into it.
#ifndef FOVEA_COMPILER_EMIT_REGIONS_H_
#define FOVEA_COMPILER_EMIT_REGIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "layers/layer.h"

namespace fovea {

struct RegionSummary {
  std::string name, target;
  std::vector<std::string> layers;  ///< Their names, in their order.
  /// Why they are not on the accelerator, each once, that of the most MACs first; none of layers that are.
  std::vector<std::string> reasons;
  std::uint64_t macs = 0;
  std::uint64_t bytes_in = 0;  ///< Of activations that a layer of another target has written, each tensor once.
};

/// The regions in the order in which they run.
std::vector<RegionSummary> summarize_regions(const Network& network);

/// Products of all layers, and of those that are not on the CPU.
struct MacShare {
  std::uint64_t all = 0, accelerated = 0;

  double percent() const { return all == 0 ? 0 : 100.0 * static_cast<double>(accelerated) / static_cast<double>(all); }
};
MacShare count_macs(const Network& network);

}  // namespace fovea

#endif  // FOVEA_COMPILER_EMIT_REGIONS_H_
