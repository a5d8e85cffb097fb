// SPDX-License-Identifier: Apache-2.0
/// \file
/// The PE array and its control: starts each pass when all its tokens are there, and counts every cycle's cause.
#pragma once

#include <deque>

#include "convolution.h"
#include "filter_feed.h"
#include "gather.h"
#include "pass_activity.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Runs the passes. A pass takes F steps, the last of which is longer where the first window of the next pass, brought
/// in the tail, takes longer; once started it never waits. Between passes it waits for tokens, one cause at a time.
class Array : public Unit {
 public:
  using Unit::Unit;

  sc_core::sc_port<StreamIn<dla_pass>> passes{"passes"};
  sc_core::sc_port<TokensIn> ifmaps{"ifmaps"};             ///< Chunks in the GLB.
  sc_core::sc_port<TokensOut> free_ifmaps{"free_ifmaps"};  ///< Buffers for other chunks.
  sc_core::sc_port<StreamIn<FedSet>> fed{"fed"};
  sc_core::sc_port<SetMoves> set_moves{"set_moves"};
  sc_core::sc_port<TokensOut> free_halves{"free_halves"};  ///< Of the filter spads.
  sc_core::sc_port<TokensIn> free_tiles{"free_tiles"};
  sc_core::sc_port<StreamOut<Tile>> tiles{"tiles"};
  sc_core::sc_port<GlbRead> glb{"glb"};
  sc_core::sc_port<GlbRead> table{"table"};  ///< The table of a layer with lookup.

  /// A layer begins: passes will come, and from the next cycle on each cycle has a cause.
  void start_layer() {
    started_layer_.notify(clock_.duration(1));
    running_from_ = clock_.now() + 1;
  }

  /// The last cycle up to this one in which it multiplied for a layer; 0 if there was none.
  Cycle last_progress() const;

  /// The first cycle in which the layer's last output has left it; kNever while that is not known.
  Cycle free_from() const { return free_from_; }

  /// Suspends the process that calls it until that is known.
  void wait_for_free() const {
    while (free_from_ == kNever) {
      sc_core::wait(free_known_);
    }
  }

  /// Cycles after this one have no cause.
  void end_layer() { running_to_ = clock_.now(); }

  void trace(sc_core::sc_trace_file* waves) const override;
  void count(Cycle cycle, dla_counters& counters) const override;

 protected:
  void run() override;
  void clear() override;

 private:
  /// What the array does from cycle `from_` on.
  enum class Phase { kNoPass, kNoIfmap, kFill, kNoFilters, kPsums, kNoTile, kStart, kRun, kEnded };

  /// Cycles by cause, of phases that are over.
  struct Causes {
    uint64_t compute = 0, psum = 0, filter = 0, ifmap = 0, dram = 0, output = 0;
  };

  void enter(Phase phase, Cycle from);
  void add_phase(Causes& causes, Cycle end) const;

  bool next_is_ready() const;
  void ask_for_window();
  void wait_for_window();
  void wait_for_tokens(const dla_pass& pass);
  Cycle psums_clear_from(const dla_pass& next) const;
  void start(const dla_pass& pass);
  Cycle ask_in_tail(const dla_pass& pass, Cycle tail, Cycle last_step);
  void run_pass(const dla_pass& pass);
  void retire_activities();

  Convolution convolution_;
  std::array<std::vector<uint8_t>, kDlaOutputTiles> tile_bytes_;

  // The pass before, if any.
  bool has_run_ = false;
  dla_pass before_{};
  Cycle started_ = 0, last_product_ = 0;
  bool filled_ = false;     ///< The next pass's window is there, or will be when the pass before ends.
  Cycle waiting_from_ = 0;  ///< The first cycle after the pass before.
  Cycle window_owed_ = 0;   ///< Cycles of the pass before in which only the next ifmap chunk was missing.
  bool has_set_ = false;    ///< A filter set has been started before.
  uint32_t tile_ = 0;
  Cycle free_from_ = kNever;
  sc_core::sc_event started_layer_, free_known_;

  Phase phase_ = Phase::kNoPass;
  uint32_t shown_phase_ = 0;  ///< For waves.
  Cycle from_ = 0;
  Cycle running_from_ = kNever, running_to_ = kNever;
  Causes causes_;
  uint32_t started_passes_ = 0;
  PassActivity* running_ = nullptr;      ///< Of the pass started last.
  std::deque<PassActivity> activities_;  ///< That may not be over.
  uint64_t reads_ = 0, writes_ = 0;      ///< Of activities that are.
  Cycle multiplied_in_ = 0;              ///< The last of them.
};

}  // namespace fovea
