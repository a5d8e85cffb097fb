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
class Control : public sc_core::sc_module, private LayerControl, private LayerEvents {
 public:
  SC_HAS_PROCESS(Control);
  Control(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_export<LayerControl> layer{"layer"};
  sc_core::sc_port<LayerEnd> ended{"ended"};
  sc_core::sc_port<LayerUnits> units{"units"};
  sc_core::sc_export<LayerEvents> events{"events"};

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
  uint32_t list_layer() const override { return number_; }
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
  Cycle stopped_in() const { return std::min(reset_in_, record_failed_in_); }
  void drain_stopped();
  bool end_wait();
  void expire();
  void drain(dla_error cause, uint32_t addr);
  void drain_late();
  void drop_units();
  void end_layer();
  void end(bool says, dla_error cause, uint32_t addr);
  void read_fails(Cycle cycle, uint32_t addr) override;
  void write_fails(Cycle cycle, uint32_t addr) override { fail(write_error_in_, write_error_addr_, cycle, addr); }
  void fail(Cycle& event, uint32_t& event_addr, Cycle cycle, uint32_t addr);
  void last_response_comes(Cycle cycle) override { wake_for(done_in_, cycle + 1); }
  void entry_comes(Cycle cycle, bool failed, uint32_t failed_addr) override;
  void record_answered(Cycle cycle, bool failed) override;
  void wake_for(Cycle& event, Cycle cycle);
  dla_counters count(Cycle cycle) const;

  DeviceState& device_;
  const Clock& clock_;
  dla_machine machine_{};
  LayerWords words_{};
  bool busy_ = false, draining_ = false;
  uint32_t watchdog_ = 0;   ///< Of the layer that runs.
  Cycle watched_from_ = 0;  ///< The cycle before it.
  Cycle started_ = 0;       ///< The cycle of the start, or in a list of the end before; counting begins in the next.
  Cycle begun_ = 0;         ///< In a list, the cycle in which it was the next one's turn; its counters are seen then.
  bool has_layer_ = false;  ///< From its start to its end: in a list there is none between them.
  bool counts_units_ = false;  ///< The units are this layer's.
  dla_counters last_{};        ///< Of the layer that has ended.
  // First cycles of what ends a layer; kNever while unknown.
  Cycle reset_in_ = kNever, read_error_in_ = kNever, write_error_in_ = kNever, done_in_ = kNever;
  uint32_t read_error_addr_ = 0, write_error_addr_ = 0;
  sc_core::sc_event start_, wake_, drop_;
  sc_core::sc_process_handle thread_;

  /// An entry of a list.
  struct Entry {
    std::array<uint32_t, kDlaListEntryWords> words{};

    uint32_t next() const { return words[0]; }
    uint32_t record() const { return words[1]; }
  };
  bool is_list_ = false;
  uint32_t list_addr_ = 0, list_limit_ = 0, number_ = 0;
  Entry current_, fetched_;
  Cycle fetched_in_ = kNever;              ///< The first cycle in which `fetched_` is there, or can't be:
  dla_error fetch_cause_ = kDlaErrorNone;  ///< why, and
  uint32_t fetch_error_addr_ = 0;          ///< of a bus error where.
  Cycle checked_in_ = kNever;              ///< The first cycle in which `ahead_cause_` is known.
  dla_error ahead_cause_ = kDlaErrorNone;  ///< Of the entry behind the current one.
  bool is_prefetch_over_ = false;          ///< Its first filters are not to be loaded any more, or have begun to be.
  bool prefetches_ = false;                ///< They are loaded, and the layer has not started yet.
  Cycle prefetch_failed_in_ = kNever;      ///< The cycle in which a beat of them says error, and
  uint32_t prefetch_failed_addr_ = 0;      ///< of which address.
  Cycle places_asked_ = 0;                 ///< The cycle in which the array is told to learn its places.
  Cycle recorded_in_ = kNever;       ///< The cycle in which the record is answered, or the layer has ended without one.
  uint32_t recorded_ = 0;            ///< The number of its layer, and
  uint32_t record_addr_ = 0;         ///< its address.
  Cycle record_failed_in_ = kNever;  ///< recorded_in_, if the answer says error.
  Cycle runs_to_ = 0;                ///< The layer's last cycle; kNever while it runs.
  sc_core::sc_event ahead_;          ///< The units of a layer that another follows have started.
  sc_core::sc_process_handle ahead_thread_;
};

}  // namespace fovea
