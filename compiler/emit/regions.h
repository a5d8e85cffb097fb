// SPDX-License-Identifier: Apache-2.0
/// \file
/// The regions that a network is cut into: where each runs, why, what it computes and what crosses into it.
#pragma once

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

/// Whether a layer is the CPU's work beside the accelerator: none whose bytes are there already, and no conversion of
/// the network's inputs to integers or of its results from them, which is how the accelerator is given its data.
bool is_on_host(const Network& network, const Layer& layer);

/// Bytes that a layer's call on the CPU moves: activations that it reads, constants, and its output, each once.
std::uint64_t count_host_bytes(const Layer& layer);

}  // namespace fovea
