// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the schedule of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
#pragma once

#include "spec/dla_schedule.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Takes a few cycles an item, and runs ahead of the array by the depth of the queues. It may begin ahead of the
/// layer's start; the array sees no pass before that. Where it is to load an ifmap or a residual, it hands out the
/// first filter chunk and its set and waits: the first ifmap chunk follows once the layer has started, and then the
/// first pass.
class Sequencer : public Unit {
 public:
  using Unit::Unit;

  sc_core::sc_port<StreamOut<dla_load>> loads{"loads"};
  sc_core::sc_port<StreamOut<dla_filter_set>> sets{"sets"};
  sc_core::sc_port<StreamOut<dla_pass>> passes{"passes"};

  void trace(sc_core::sc_trace_file* waves) const override;

  /// The first step of a layer is in the next cycle, if it has not begun; then the first ifmap chunk may be loaded.
  void start() {
    started_in_ = clock_.now() + 1;
    started_.notify(clock_.duration(1));
    passes->show(started_in_);
  }

  /// Forgets everything, and begins ahead of start(): the first step is in the next cycle. Call from another unit's
  /// process.
  void start_ahead() {
    restart();
    is_ahead_ = true;
    started_.notify(clock_.duration(1));
  }

  /// All of the layer was handed out before this cycle.
  bool has_ended() const { return ended_in_ < clock_.now(); }

 protected:
  void run() override;
  void clear() override {
    started_.cancel();
    started_in_ = ended_in_ = kNever;
    is_ahead_ = is_set_out_ = false;
  }

 private:
  void push_load(const dla_load& load);
  void push_pass();
  Cycle begin_ahead();

  sc_core::sc_event started_;
  bool is_ahead_ = false;      ///< Begun ahead of start().
  bool is_set_out_ = false;    ///< The set of the next pass has been handed out.
  Cycle started_in_ = kNever;  ///< The first cycle after start().
  Cycle ended_in_ = kNever;    ///< The cycle of the last pass.
  dla_schedule schedule_{};
};

}  // namespace fovea
