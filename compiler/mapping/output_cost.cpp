// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes that end in an output tile, and their tiles on the way to DRAM, one after another.
#include "output_cost.h"

#include <algorithm>

namespace fovea {

OutputCost OutputCost::one_pass(std::uint64_t pass, std::uint64_t store, std::uint64_t latency) {
  return {1, pass, pass, pass, 0, store, 2 * store, latency};
}

OutputCost OutputCost::followed_by(const OutputCost& next) const {
  if (passes == 0 || next.passes == 0) {
    return passes == 0 ? next : *this;
  }
  OutputCost both = next;
  both.passes += passes;
  both.array += array;
  both.first = first;
  both.busy += busy + std::max(next.first, store);
  both.stores = next.passes == 1 ? store + next.store : next.stores;
  return both;
}

OutputCost OutputCost::repeated(std::uint64_t count) const {
  if (passes == 0 || count == 0) {
    return {};
  }
  OutputCost all = *this;
  all.passes *= count;
  all.array *= count;
  // Two passes of a kind take at least a tile's whole turn.
  const std::uint64_t turn = passes == 1 ? (last + latency + store) / 2 : 0;
  all.busy = count * busy + (count - 1) * std::max({first, store, turn});
  return all;
}

OutputCost OutputCost::spread_over(std::uint64_t cycles) const {
  OutputCost spread = *this;
  if (passes != 0) {
    spread.array = std::max(array, cycles);
    spread.busy = std::max(busy, spread.array - first);
  }
  return spread;
}

}  // namespace fovea
