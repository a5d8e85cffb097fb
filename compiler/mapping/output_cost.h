// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes that end in an output tile, and their tiles on the way to DRAM, one after another.
#ifndef FOVEA_COMPILER_MAPPING_OUTPUT_COST_H_
#define FOVEA_COMPILER_MAPPING_OUTPUT_COST_H_

#include <cstdint>

namespace fovea {

/// A sequence of such passes, in cycles. There are two tiles: while one is stored the array fills the other, so from
/// the end of one pass to that of the next it takes the next pass, or the store of the one before.
struct OutputCost {
  std::uint64_t passes = 0;
  std::uint64_t array = 0;    ///< Of all passes, without the store.
  std::uint64_t first = 0;    ///< Of `array`, the first pass,
  std::uint64_t last = 0;     ///< and the last one.
  std::uint64_t busy = 0;     ///< From the end of the first pass to that of the last, where stores may take longer.
  std::uint64_t store = 0;    ///< Gathering and writing the last tile,
  std::uint64_t stores = 0;   ///< and with it the one before.
  std::uint64_t latency = 0;  ///< From a pass's last product to the store.

  static OutputCost one_pass(std::uint64_t pass, std::uint64_t store, std::uint64_t latency);
  OutputCost followed_by(const OutputCost& next) const;
  OutputCost repeated(std::uint64_t count) const;

  /// The same passes, where with waits for filters they take `cycles` in all.
  OutputCost spread_over(std::uint64_t cycles) const;
};

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_OUTPUT_COST_H_
