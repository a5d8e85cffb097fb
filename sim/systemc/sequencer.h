// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the schedule of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
#ifndef FOVEA_SIM_SYSTEMC_SEQUENCER_H_
#define FOVEA_SIM_SYSTEMC_SEQUENCER_H_

#include "spec/dla_schedule.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Takes a few cycles an item, and runs ahead of the array by the depth of the queues.
class Sequencer : public Unit {
 public:
  using Unit::Unit;

  sc_core::sc_port<StreamOut<dla_load>> loads{"loads"};
  sc_core::sc_port<StreamOut<dla_filter_set>> sets{"sets"};
  sc_core::sc_port<StreamOut<dla_pass>> passes{"passes"};

  void trace(sc_core::sc_trace_file* waves) const override;

  /// The first step of a layer is in the next cycle.
  void start() { started_.notify(clock_.duration(1)); }

  /// All of the layer was handed out before this cycle.
  bool has_ended() const { return ended_in_ < clock_.now(); }

 protected:
  void run() override;
  void clear() override {
    started_.cancel();
    ended_in_ = kNever;
  }

 private:
  void push_load();
  void push_pass();

  sc_core::sc_event started_;
  Cycle ended_in_ = kNever;  ///< The cycle of the last pass.
  dla_schedule schedule_{};
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_SEQUENCER_H_
