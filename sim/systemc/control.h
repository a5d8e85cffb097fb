// SPDX-License-Identifier: Apache-2.0
/// \file
/// The life of a layer: check, configure, run, and on an error or a reset let the bursts end.
#ifndef FOVEA_SIM_SYSTEMC_CONTROL_H_
#define FOVEA_SIM_SYSTEMC_CONTROL_H_

#include "hal/dla_counters.h"
#include "layer_run.h"
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
  void run();
  void forget();
  bool wait_or_reset(Cycle cycle);
  void run_layer();
  bool set_up();
  void run_units();
  bool is_stuck() const;
  bool wait_for_end();
  void drain(dla_error cause, uint32_t addr);
  void drain_late();
  void drop_units();
  void end(bool says, dla_error cause, uint32_t addr);
  void read_fails(Cycle cycle, uint32_t addr) override { fail(read_error_in_, read_error_addr_, cycle, addr); }
  void write_fails(Cycle cycle, uint32_t addr) override { fail(write_error_in_, write_error_addr_, cycle, addr); }
  void fail(Cycle& event, uint32_t& event_addr, Cycle cycle, uint32_t addr);
  void last_response_comes(Cycle cycle) override { wake_for(done_in_, cycle + 1); }
  void wake_for(Cycle& event, Cycle cycle);
  dla_counters count(Cycle cycle) const;

  DeviceState& device_;
  const Clock& clock_;
  dla_machine machine_{};
  LayerWords words_{};
  bool busy_ = false, draining_ = false;
  uint32_t watchdog_ = 0;      ///< Of the layer that runs.
  Cycle watched_from_ = 0;     ///< The cycle before it.
  Cycle started_ = 0;          ///< The cycle of the start; counting begins in the next.
  bool counts_units_ = false;  ///< The units are this layer's.
  dla_counters last_{};        ///< Of the layer that has ended.
  // First cycles of what ends a layer; kNever while unknown.
  Cycle reset_in_ = kNever, read_error_in_ = kNever, write_error_in_ = kNever, done_in_ = kNever;
  uint32_t read_error_addr_ = 0, write_error_addr_ = 0;
  sc_core::sc_event start_, wake_, drop_;
  sc_core::sc_process_handle thread_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_CONTROL_H_
