// SPDX-License-Identifier: Apache-2.0
/// \file
/// The life of a layer: check, configure, run, and on an error or a reset let the bursts end; and of a list of them.
#pragma once

#include <algorithm>
#include <array>

#include "hal/dla_counters.h"
#include "layer_run.h"
#include "spec/dla_list.h"
#include "unit.h"

namespace fovea {

/// Runs one layer at a time.
class Control : public sc_core::sc_module, private LayerControl, private EndingEvents {
 public:
  SC_HAS_PROCESS(Control);
  Control(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_export<LayerControl> layer{"layer"};
  sc_core::sc_port<LayerEnd> ended{"ended"};
  sc_core::sc_port<LayerUnits> units{"units"};
  sc_core::sc_export<EndingEvents> events{"events"};

  /// A new device. \pre no layer is under way, or the device before is gone.
  void restart(const dla_machine& machine);

  /// Forgets a layer that its user has left under way; takes effect in the next cycle.
  void drop() { drop_.notify(sc_core::SC_ZERO_TIME); }

  void trace(sc_core::sc_trace_file* waves) const override;

 private:
  bool is_busy() const override { return busy_; }
  bool is_draining() const override { return draining_; }
  void start(const LayerWords& words, uint32_t watchdog) override;
  void reset() override;
  dla_counters counters() const override;
  void start_list(uint32_t addr, uint32_t limit, uint32_t watchdog) override;
  uint32_t list_layer() const override { return list_.number; }
  void begin(uint32_t watchdog);
  void run();
  void forget();
  bool wait_or_stop(Cycle cycle);
  void run_list();
  bool fetch_first();
  void record();
  bool go_on();
  bool wait_for_record();
  bool wait_for_verdict();
  void look_ahead();
  void prefetch();
  void fetch(uint32_t addr);
  bool run_layer();
  bool set_up(Cycle verdict);
  bool run_units();
  bool is_stuck() const;
  template <class Event>
  bool wait_for(const Event& event);
  template <class Event>
  bool wait_watched_for(const Event& event);
  Cycle stopped_in() const { return std::min(run_.reset_in, record_.failed_in); }
  void drain_stopped();
  void expire();
  void drain(dla_error cause, uint32_t addr);
  void drain_late();
  void drop_units();
  void end_layer();
  void end(bool says, dla_error cause, uint32_t addr);
  void read_fails(Cycle cycle, uint32_t addr) override;
  void write_fails(Cycle cycle, uint32_t addr) override {
    fail(run_.write_error_in, run_.write_error_addr, cycle, addr);
  }
  void fail(Cycle& event, uint32_t& event_addr, Cycle cycle, uint32_t addr);
  void last_response_comes(Cycle cycle) override { wake_for(run_.done_in, cycle + 1); }
  void entry_comes(Cycle cycle, bool failed, uint32_t failed_addr) override;
  void record_answered(Cycle cycle, bool failed) override;
  void wake_for(Cycle& event, Cycle cycle);
  dla_counters count(Cycle cycle) const;

  /// The layer that runs.
  struct Run {
    uint32_t watchdog = 0;
    Cycle watched_from = 0;  ///< The cycle before it.
    Cycle started = 0;       ///< The cycle of the start, or in a list of the end before; counting begins in the next.
    Cycle begun = 0;         ///< In a list, the cycle in which it was the next one's turn; its counters are seen then.
    Cycle places_asked = 0;  ///< The cycle in which the array is told to learn its places.
    Cycle runs_to = 0;       ///< Its last cycle; kNever while it runs.
    bool counts_units = false;  ///< The units are this layer's.
    // First cycles of what ends it; kNever while unknown.
    Cycle reset_in = kNever, read_error_in = kNever, write_error_in = kNever, done_in = kNever;
    uint32_t read_error_addr = 0, write_error_addr = 0;
  };

  /// An entry of a list.
  struct Entry {
    std::array<uint32_t, kDlaListEntryWords> words{};

    uint32_t next() const { return words[0]; }
    uint32_t record() const { return words[1]; }
  };

  struct List {
    bool is_under_way = false;
    uint32_t addr = 0, limit = 0;
    uint32_t number = 0;  ///< Of the layer that runs.
    Entry current;
  };

  /// The entry behind the current one.
  struct Next {
    Entry entry;
    Cycle fetched_in = kNever;              ///< The first cycle in which it is there, or can't be:
    dla_error fetch_cause = kDlaErrorNone;  ///< why, and
    uint32_t fetch_error_addr = 0;          ///< of a bus error where.
    Cycle checked_in = kNever;              ///< The first cycle in which `check_cause` is known.
    dla_error check_cause = kDlaErrorNone;
  };

  /// Of the next layer's first filters.
  struct Prefetch {
    bool is_over = false;      ///< They are not to be loaded any more, or have begun to be.
    bool is_pending = false;   ///< They are loaded, and the layer has not started yet.
    Cycle failed_in = kNever;  ///< The cycle in which a beat of them says error, and
    uint32_t failed_addr = 0;  ///< of which address.
  };

  /// Of the last layer that ended in a list.
  struct Record {
    uint32_t number = 0, addr = 0;
    Cycle answered_in = kNever;  ///< The cycle of the answer, or in which the layer has ended without a record.
    Cycle failed_in = kNever;    ///< answered_in, if the answer says error.
  };

  DeviceState& device_;
  const Clock& clock_;
  dla_machine machine_{};
  LayerWords words_{};
  bool busy_ = false, draining_ = false;
  bool has_layer_ = false;  ///< From its start to its end: in a list there is none between them.
  dla_counters last_{};     ///< Of the layer that has ended.
  Run run_;
  List list_;
  Next next_;
  Prefetch prefetch_;
  Record record_;
  sc_core::sc_event start_, wake_, drop_;
  sc_core::sc_event has_next_;  ///< The units of a layer that another follows have started.
  sc_core::sc_process_handle thread_, ahead_thread_;
};

}  // namespace fovea
