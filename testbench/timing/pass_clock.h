// SPDX-License-Identifier: Apache-2.0
/// \file
/// What docs/timing.md says of the passes of one layer, given when its tokens came.
#pragma once

#include <array>
#include <cstdint>

#include "layer_events.h"
#include "paper_passes.h"

namespace fovea {

/// The first cycle that each rule of "Starting a pass" allows, in its order.
using Rules = std::array<uint64_t, 6>;

/// Cycles of a layer that has run; its passes by their numbers.
class PassClock {
 public:
  /// Both outlive the clock.
  PassClock(const PaperLayer& layer, const LayerEvents& events) : layer_(layer), events_(events) {}

  /// The first cycle of pass k's tail, and of its last step.
  uint64_t tail(size_t k) const;
  uint64_t last_step(size_t k) const;
  uint64_t last_product(size_t k) const;

  /// From when on the array control sees pass k.
  uint64_t queued(size_t k) const { return events_.at("seq pass", k) + 1; }

  /// From when on the first window of pass k could be asked for: the pass is queued, its chunk in the GLB.
  uint64_t window_possible(size_t k) const;

  /// Whether pass k's window is brought in the tail of the pass before.
  bool overlaps(size_t k) const { return k > 0 && window_possible(k) <= last_step(k - 1); }

  /// When it is asked for.
  uint64_t window(size_t k) const;

  /// The last cycle of pass k.
  uint64_t end(size_t k) const;

  Rules rules(size_t k) const;

 private:
  const PaperPass& of(size_t k) const { return layer_.passes[k]; }

  const PaperLayer& layer_;
  const LayerEvents& events_;
};

}  // namespace fovea
