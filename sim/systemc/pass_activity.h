// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a pass does in which cycle: products, and words between the GLB and the array.
#pragma once

#include <cstdint>

#include "clock.h"
#include "layer_plan.h"
#include "spec/dla_schedule.h"

namespace fovea {

/// A pass from the cycle in which its first window is asked for. Counts are of what happens before a cycle.
class PassActivity {
 public:
  PassActivity(const LayerPlan& plan, const dla_pass& pass, Cycle fill_start);

  /// The first cycle of its first step.
  void start(Cycle first) { first_ = first; }

  /// The first cycle of its last step. \pre start().
  Cycle last_step() const { return step_start(F_ - 1); }

  /// The same of its tail, whose steps bring no ifmap columns. \pre start().
  Cycle tail() const { return step_start(F_ - tail_); }

  /// All it does lies before this cycle. \pre start().
  Cycle end() const;

  /// Cycles in which the array multiplies.
  uint64_t compute_cycles(Cycle cycle) const;

  /// The last cycle up to `cycle` in which it does; 0 where there is none.
  Cycle last_product_by(Cycle cycle) const;

  /// Cycles inside slots that their psums make longer than their products.
  uint64_t psum_cycles(Cycle cycle) const;

  /// GLB words.
  uint64_t ifmap_reads(Cycle cycle) const;
  uint64_t psum_reads(Cycle cycle) const;
  uint64_t writes(Cycle cycle) const;

 private:
  /// How far the slots have come: steps and slots that are over, and the cycles of the slot under way.
  struct Position {
    uint64_t step, slot, cycles;
  };

  Cycle step_start(uint64_t step) const {
    return first_ + dla_step_start(&pass_.lengths, F_, tail_, static_cast<uint32_t>(step));
  }
  uint64_t windows_within(uint64_t size) const;
  Position position(Cycle cycle, Cycle delay) const;

  /// Words of a feed of `cols` columns from `x` on that started in cycle `start`.
  uint64_t feed_reads(Cycle cycle, Cycle start, int32_t x, uint32_t cols) const;
  uint64_t cut_feed_reads(uint64_t words, int32_t x, uint32_t cols) const;
  uint32_t set_channels() const;
  uint32_t word_end(uint32_t channel) const;
  uint32_t cols_inside(int32_t x, uint32_t cols) const;
  uint32_t rows_inside() const;
  int32_t step_x(uint64_t step) const;

  const LayerPlan& plan_;
  dla_pass pass_;
  uint32_t F_, tail_;  ///< Steps, and those of the tail.
  Cycle fill_start_, first_ = kNever;
  uint32_t channels_read_;  ///< Of one pixel.
  uint32_t column_words_, row_reads_;
};

}  // namespace fovea
