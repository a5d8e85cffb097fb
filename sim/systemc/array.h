// SPDX-License-Identifier: Apache-2.0
/// \file
/// The PE array and its control: starts each pass when all its tokens are there, and counts every cycle's cause.
#ifndef FOVEA_SIM_SYSTEMC_ARRAY_H_
#define FOVEA_SIM_SYSTEMC_ARRAY_H_

#include <deque>

#include "convolution.h"
#include "filter_feed.h"
#include "gather.h"
#include "pass_activity.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Runs the passes. A pass takes (F - 1) steps and a last one, which is longer where it also brings the first window of
/// the next pass; once started it never waits. Between passes it waits for tokens, one cause at a time.
class Array : public Unit {
 public:
  /// What it takes and gives.
  struct Ports {
    Stream<dla_pass>& passes;
    Stream<FedSet>& fed;
    Stream<Tile>& tiles;
    Tokens& free_ifmaps;  ///< Buffers that load may fill again.
  };

  Array(const sc_core::sc_module_name& name, DeviceState& device, Ports ports, const std::vector<uint8_t>& glb);

  /// Ifmap chunks in the GLB.
  Tokens ifmaps;

  /// Output tiles that are free.
  Tokens free_tiles;

  /// Who moves the sets that it waits for. Set once, before the first layer.
  const FilterFeed* feed = nullptr;

  /// Free halves of the filter spads. Set once, before the first layer.
  Tokens* free_halves = nullptr;

  /// A layer begins: passes will come.
  void start_layer() { started_layer_.notify(clock_.duration(1)); }

  /// Cycles have a cause from `from` on, up to and including `to`.
  void set_running_from(Cycle from) { running_from_ = from; }
  void set_running_to(Cycle to) { running_to_ = to; }

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
  void run_pass(const dla_pass& pass);
  void retire_activities();

  Stream<dla_pass>& passes_;
  Stream<FedSet>& fed_;
  Stream<Tile>& tiles_;
  Tokens& free_ifmaps_;
  Convolution convolution_;
  std::array<std::vector<uint8_t>, kDlaOutputTiles> tile_bytes_;

  // The pass before, if any.
  bool has_run_ = false;
  dla_pass before_{};
  Cycle started_ = 0, last_product_ = 0;
  bool filled_ = false;     ///< The next pass's window is there, or will be when the pass before ends.
  Cycle waiting_from_ = 0;  ///< The first cycle after the pass before.
  bool has_set_ = false;    ///< A filter set has been started before.
  uint32_t tile_ = 0;
  sc_core::sc_event started_layer_;

  Phase phase_ = Phase::kNoPass;
  uint32_t shown_phase_ = 0;  ///< For waves.
  Cycle from_ = 0;
  Cycle running_from_ = kNever, running_to_ = kNever;
  Causes causes_;
  uint32_t started_passes_ = 0;
  PassActivity* running_ = nullptr;      ///< Of the pass started last.
  std::deque<PassActivity> activities_;  ///< That may not be over.
  uint64_t reads_ = 0, writes_ = 0;      ///< Of activities that are.
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_ARRAY_H_
