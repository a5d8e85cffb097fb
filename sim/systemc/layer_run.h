// SPDX-License-Identifier: Apache-2.0
/// \file
/// What registers, control and the units of a running layer ask of each other.
#pragma once

#include <systemc>

#include "clock.h"
#include "hal/dla_counters.h"
#include "layer_plan.h"

namespace fovea {

/// What the registers ask of control, between cycles.
struct LayerControl : virtual sc_core::sc_interface {
  virtual bool is_busy() const = 0;

  /// Bursts of a layer that the watchdog has ended are still out.
  virtual bool is_draining() const = 0;

  /// Starts the layer in this cycle. \param watchdog  Cycles without progress that end it; 0: none.
  /// \pre !is_busy() and !is_draining().
  virtual void start(const LayerWords& words, uint32_t watchdog) = 0;

  /// Starts a list of up to `limit` layers likewise.
  virtual void start_list(uint32_t addr, uint32_t limit, uint32_t watchdog) = 0;

  /// The number in the list of the layer that runs, ended last, or could not be run.
  virtual uint32_t list_layer() const = 0;

  /// Drops the layer, if one runs, from this cycle on.
  virtual void reset() = 0;

  /// What was counted before this cycle, since the last start.
  virtual dla_counters counters() const = 0;
};

/// What control tells the registers.
struct LayerEnd : virtual sc_core::sc_interface {
  /// A layer ends in this cycle: with kDlaErrorNone when it is done. \param addr  Of a bus error.
  virtual void end_layer(dla_error cause, uint32_t addr) = 0;

  /// A list's entry has come.
  virtual void take_command(const LayerWords& words) = 0;
};

/// What control asks of the units.
struct LayerUnits : virtual sc_core::sc_interface {
  /// Puts all back to their state after reset, for a layer of `plan`. Call from a process. \param keep  But for what
  /// prefetch() has begun for that layer.
  virtual void restart_layer(const LayerPlan& plan, bool keep) = 0;

  /// Begins, in this cycle, to load the first filters of the layer behind the one that runs, and to move them to the
  /// PEs: of `plan`, which is DeviceState::load_plan. \pre has_loaded().
  virtual void prefetch(const LayerPlan& plan) = 0;

  /// From this cycle on, what is loaded is counted for that layer. No change where the layer that runs is loaded.
  virtual void count_next() = 0;

  /// Adds what was loaded, and moved to the PEs, before `cycle`.
  virtual void count_loads(Cycle cycle, dla_counters& counters) const = 0;

  /// No load, filter set or pass is handed out after this cycle.
  virtual void stop_sequencer() = 0;

  /// Suspends the process until all filter sets are in the PEs. \pre has_loaded().
  virtual void wait_for_last_set() const = 0;

  /// Suspends the process until array_is_free_from() is known.
  virtual void wait_for_free_array() const = 0;

  /// Starts the layer; from the next cycle on, each cycle has a cause.
  virtual void start_layer() = 0;

  /// Cycles after this one have no cause.
  virtual void end_layer() = 0;

  /// No burst is under way in this cycle.
  virtual bool is_idle() const = 0;

  /// The last cycle up to this one in which the bus moved something or the array multiplied; 0 if there was none.
  virtual Cycle last_progress() const = 0;

  /// Whether all loads of the layer have been made, in the middle of a cycle.
  virtual bool has_loaded() const = 0;

  /// Asks, in this cycle, for an entry of a list. \pre has_loaded(), or no layer runs. \param words  Filled before
  /// EndingEvents.entry_comes() tells when they are there.
  virtual void fetch_entry(uint32_t addr, uint32_t* words) = 0;

  /// The first cycle in which the array could learn the places of another layer; kNever while that is not known.
  virtual Cycle array_is_free_from() const = 0;

  /// Asks, in this cycle, for a record to be written. \pre a layer has ended in the cycle before. Up to the answer the
  /// next layer's stores wait.
  virtual void send_record(uint32_t addr, const uint32_t* words) = 0;

  /// Adds what they did before `cycle`.
  virtual void count(Cycle cycle, dla_counters& counters) const = 0;
};

/// What ends a layer, told ahead of its cycle.
struct EndingEvents : virtual sc_core::sc_interface {
  /// The cycle in which a beat, or a write response, says error, and of which address.
  virtual void read_fails(Cycle cycle, uint32_t addr) = 0;
  virtual void write_fails(Cycle cycle, uint32_t addr) = 0;

  /// The cycle of the layer's last write response.
  virtual void last_response_comes(Cycle cycle) = 0;

  /// The cycle of a list's entry's last beat, or of a record's response. \param failed  It says error, or a beat before
  /// it did. \param failed_addr  Which address it says so of.
  virtual void entry_comes(Cycle cycle, bool failed, uint32_t failed_addr) = 0;
  virtual void record_answered(Cycle cycle, bool failed) = 0;
};

}  // namespace fovea
