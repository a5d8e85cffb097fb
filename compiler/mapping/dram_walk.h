// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as a layer's loads and stores meet it, a burst at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "spec/dram_bursts.h"

namespace fovea {

/// A burst's cycles.
struct BurstCycles {
  std::uint64_t accepted, first_beat, last_beat;
  std::uint64_t answered;  ///< A write's response.
};

/// Requests are told in the order of their cycles, or nearly so: each gets its channel after those told before.
class DramWalk {
 public:
  DramWalk(const DramPreset& preset, std::uint32_t bus_bytes) : preset_(preset), bursts_(preset, bus_bytes) {}

  /// A burst of `beats` from byte `addr` on, asked for from cycle `asked` on.
  BurstCycles request(DramDirection direction, std::uint64_t asked, std::uint32_t addr, std::uint32_t beats);

 private:
  struct Way {
    std::deque<std::uint64_t> leaves;  ///< Of the requests in flight.
    std::uint64_t free_from = 0, accepts_from = 0, accepted = 0;
  };

  DramPreset preset_;
  DramBursts bursts_;
  std::array<Way, 2> ways_;
};

}  // namespace fovea
