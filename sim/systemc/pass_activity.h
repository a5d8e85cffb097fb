// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a pass does in which cycle: products, and words between the GLB and the array.
#ifndef FOVEA_SIM_SYSTEMC_PASS_ACTIVITY_H_
#define FOVEA_SIM_SYSTEMC_PASS_ACTIVITY_H_

#include <algorithm>
#include <cstdint>

#include "clock.h"
#include "layer_plan.h"
#include "pass.h"

namespace fovea {

/// Cycles of an output column that is not the last: max(p slot, ifmap words of the next column).
inline Cycle step_cycles(const Pass& pass) { return std::max(pass.compute_cycles, pass.step_words); }

/// Cycles of the last column. \param next_fill_words  Of the next pass, if its first window is brought meanwhile; else
/// 0.
inline Cycle last_step_cycles(const Pass& pass, uint32_t next_fill_words) {
  return std::max(pass.compute_cycles, next_fill_words);
}

/// Cycles from the last product of a pass that ends in the output until the store sees its tile.
inline Cycle tile_cycles(const LayerPlan& plan, const Pass& pass) { return 8 + plan.segment_rows + pass.slot_words; }

/// Cycles from the start of a pass that ends in the output until its first psum is in post-processing.
inline Cycle first_psum_cycles(const LayerPlan& plan, const Pass& pass) {
  return pass.slot_cycles + 7 + plan.segment_rows;
}

/// Cycles from the last product of a pass until another that reads its psums may start.
inline Cycle drain_cycles(const LayerPlan& plan, const Pass& pass) { return pass.slot_words + plan.segment_rows + 2; }

/// A pass from the cycle in which its first window is asked for. Counts are of what happens before a cycle.
class PassActivity {
 public:
  PassActivity(const LayerPlan& plan, const Pass& pass, Cycle fill_start);

  /// The first cycle of its first step.
  void start(Cycle first) { first_ = first; }

  /// The first cycle of its last step. \pre start().
  Cycle last_step() const { return first_ + (F_ - 1) * step_; }

  /// All it does lies before this cycle. \pre start().
  Cycle end() const;

  /// Cycles in which the array multiplies.
  uint64_t compute_cycles(Cycle cycle) const;

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

  Position position(Cycle cycle, Cycle delay) const;

  /// Words of a feed of `cols` columns from `x` on that started in cycle `start`.
  uint64_t feed_reads(Cycle cycle, Cycle start, int32_t x, uint32_t cols) const;
  uint64_t cut_feed_reads(uint64_t words, int32_t x, uint32_t cols) const;
  uint32_t cols_inside(int32_t x, uint32_t cols) const;
  uint32_t rows_inside() const;
  int32_t step_x(uint64_t step) const;

  const LayerPlan& plan_;
  Pass pass_;
  Cycle F_, step_;
  Cycle fill_start_, first_ = kNever;
  uint32_t channels_read_;  ///< Of one pixel.
  uint32_t column_words_, row_reads_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_PASS_ACTIVITY_H_
