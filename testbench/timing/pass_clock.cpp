// SPDX-License-Identifier: Apache-2.0
/// \file
/// What docs/timing.md says of the passes of one layer, given when its tokens came.
#include "pass_clock.h"

#include <algorithm>

namespace fovea {

uint64_t PassClock::tail(size_t k) const {
  return events_.at("array start", k) + 1 + (layer_.F - layer_.tail) * of(k).step;
}

uint64_t PassClock::last_step(size_t k) const { return tail(k) + (layer_.tail - 1) * of(k).p * of(k).slot; }

uint64_t PassClock::last_product(size_t k) const { return last_step(k) + of(k).p * of(k).slot - 1; }

uint64_t PassClock::window_possible(size_t k) const {
  return of(k).new_ifmap ? std::max(queued(k), events_.at("load ifmap", of(k).ifmap) + 1) : queued(k);
}

uint64_t PassClock::window(size_t k) const {
  if (!overlaps(k)) {
    return std::max(window_possible(k), k == 0 ? 0 : events_.at("array end", k - 1) + 1);
  }
  uint64_t step = tail(k - 1);
  while (step < window_possible(k)) {
    step += of(k - 1).p * of(k - 1).slot;
  }
  return step;
}

uint64_t PassClock::end(size_t k) const {
  const uint64_t slots_end = last_product(k) + 1;
  const bool brings_next = k + 1 < layer_.passes.size() && overlaps(k + 1);
  return (brings_next ? std::max(slots_end, window(k + 1) + of(k + 1).fill) : slots_end) - 1;
}

Rules PassClock::rules(size_t k) const {
  const PaperPass& pass = of(k);
  Rules from{};
  from[0] = overlaps(k) ? events_.at("array end", k - 1) : events_.at("ifmap window", k) + pass.fill + 1;
  from[1] = pass.new_set ? events_.at("filter end", pass.set) + 1 : 0;
  from[2] = pass.last_k && pass.tile >= 2 ? events_.at("store free", pass.tile - 2) + 1 : 0;
  if (k > 0) {
    const uint32_t leaving = of(k - 1).slot_words;
    const bool may_meet = pass.reads_psums && (layer_.F * pass.p - 1) * pass.slot < layer_.D + 3;
    from[3] = last_product(k - 1) + (leaving > pass.slot ? leaving - pass.slot : 0);
    from[4] = may_meet ? last_product(k - 1) + leaving + layer_.D + 2 : 0;
    from[5] = events_.at("array start", k - 1) + 8;
  }
  return from;
}

}  // namespace fovea
