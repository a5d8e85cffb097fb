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
  void start(const LayerWords& words) override;
  void reset() override;
  dla_counters counters() const override;
  void run();
  void forget();
  bool wait_or_reset(Cycle cycle);
  void run_layer();
  bool set_up();
  void run_units();
  void drain(dla_error cause);
  void end(bool says, dla_error cause);
  void read_fails(Cycle cycle) override { wake_for(read_error_in_, cycle); }
  void write_fails(Cycle cycle) override { wake_for(write_error_in_, cycle); }
  void last_response_comes(Cycle cycle) override { wake_for(done_in_, cycle + 1); }
  void wake_for(Cycle& event, Cycle cycle);
  dla_counters count(Cycle cycle) const;

  DeviceState& device_;
  const Clock& clock_;
  dla_machine machine_{};
  LayerWords words_{};
  bool busy_ = false;
  Cycle started_ = 0;          ///< The cycle of the start; counting begins in the next.
  bool counts_units_ = false;  ///< The units are this layer's.
  dla_counters last_{};        ///< Of the layer that has ended.
  // First cycles of what ends a layer; kNever while unknown.
  Cycle reset_in_ = kNever, read_error_in_ = kNever, write_error_in_ = kNever, done_in_ = kNever;
  sc_core::sc_event start_, wake_, drop_;
  sc_core::sc_process_handle thread_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_CONTROL_H_
