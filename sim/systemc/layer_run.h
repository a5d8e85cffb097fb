// SPDX-License-Identifier: Apache-2.0
/// \file
/// What control and the units of a running layer tell each other.
#ifndef FOVEA_SIM_SYSTEMC_LAYER_RUN_H_
#define FOVEA_SIM_SYSTEMC_LAYER_RUN_H_

#include <systemc>

#include "clock.h"
#include "hal/dla_counters.h"
#include "layer_plan.h"

namespace fovea {

/// What control asks of the units.
struct LayerUnits : virtual sc_core::sc_interface {
  /// Puts all back to their state after reset, for a layer of `plan`. Call from a process.
  virtual void restart_layer(const LayerPlan& plan) = 0;

  /// Starts the layer; from the next cycle on, each cycle has a cause.
  virtual void start_layer() = 0;

  /// Cycles after this one have no cause.
  virtual void end_layer() = 0;

  /// No burst is under way in this cycle.
  virtual bool is_idle() const = 0;

  /// Adds what they did before `cycle`.
  virtual void count(Cycle cycle, dla_counters& counters) const = 0;
};

/// What ends a layer, told ahead of its cycle.
struct LayerEvents : virtual sc_core::sc_interface {
  /// The cycle in which a beat, or a write response, says error.
  virtual void read_fails(Cycle cycle) = 0;
  virtual void write_fails(Cycle cycle) = 0;

  /// The cycle of the layer's last write response.
  virtual void last_response_comes(Cycle cycle) = 0;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_LAYER_RUN_H_
