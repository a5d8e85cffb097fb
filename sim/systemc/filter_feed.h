// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves filter sets from the GLB to the PEs, one word a cycle, one set ahead of the array.
#pragma once

#include <array>
#include <vector>

#include "glb.h"
#include "spec/dla_schedule.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// A set that is complete in the PEs.
struct FedSet {
  const std::vector<uint8_t>* bytes;  ///< The chunk: biases and scales, if any, then weights.
  uint32_t bias_bytes, scale_bytes;
};

/// What the array asks about the set that it waits for.
struct SetMoves : virtual sc_core::sc_interface {
  /// Of the cycles `from` to `to` - 1, in which the array waits for the next set: how many its chunk is to blame for.
  virtual Cycle late_cycles(Cycle from, Cycle to) const = 0;
};

/// A set whose chunk is in the GLB, loaded for it or from an earlier row tile, and for which a half of the filter spads
/// is free in cycle c moves in cycles c + 1 to c + words; the array sees it the cycle after.
class FilterFeed : public Unit, private SetMoves {
 public:
  FilterFeed(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_port<StreamIn<dla_filter_set>> sets{"sets"};
  sc_core::sc_port<TokensIn> chunks{"chunks"};               ///< In the GLB.
  sc_core::sc_port<TokensIn> free_halves{"free_halves"};     ///< Of the filter spads.
  sc_core::sc_port<TokensOut> free_buffers{"free_buffers"};  ///< For other chunks.
  sc_core::sc_port<StreamOut<FedSet>> fed{"fed"};
  sc_core::sc_port<GlbRead> glb{"glb"};
  sc_core::sc_export<SetMoves> moves{"moves"};

  void trace(sc_core::sc_trace_file* waves) const override;
  void count(Cycle cycle, dla_counters& counters) const override;

  /// No set moves.
  bool is_idle() const { return !is_feeding_; }

  /// Suspends the calling process until a set has moved.
  void wait_moved() const { sc_core::wait(moved_); }

  /// From now on, sets may be of the next layer. \param left  Those of this one that have not begun to move.
  void begin_next(size_t left) {
    left_ = left;
    before_ = reads_;
    reads_ = 0;
    moves_next_ = false;
    is_ahead_ = true;
  }

  /// From now on, those of the next layer count. No change where they are of the layer that runs.
  void count_next() { is_ahead_ = false; }

 protected:
  void run() override;
  void clear() override;

 private:
  Cycle late_cycles(Cycle from, Cycle to) const override;
  uint64_t reads_of(uint64_t words) const;

  std::array<std::vector<uint8_t>, kDlaFilterHalves> half_bytes_;  ///< What each half of the filter spads holds.

  /// A set that was held up by its chunk in cycles `due` to `started` - 1, if any, and moves up to `to` - 1.
  struct Move {
    Cycle due = 0, started = 0, to = 0;
  };
  std::array<Move, 2> moves_{};  ///< The last two sets, the last one first; kNever: not yet.
  bool is_feeding_ = false;
  dla_filter_set set_{};    ///< The last one started.
  uint64_t reads_ = 0;      ///< GLB words of all sets started, of the last layer that has sets here, and
  uint64_t before_ = 0;     ///< of the one before it,
  bool is_ahead_ = false;   ///< which still counts.
  size_t left_ = 0;         ///< Sets of that one that have not begun to move.
  bool moves_next_ = true;  ///< The last one started is not of that one.
  sc_core::sc_event moved_;
};

}  // namespace fovea
