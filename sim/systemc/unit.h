// SPDX-License-Identifier: Apache-2.0
/// \file
/// What every unit of the model is: a module with one thread that can be put back to its start.
#pragma once

#include <string>
#include <systemc>

#include "clock.h"
#include "device_observer.h"
#include "hal/dla_counters.h"
#include "layer_plan.h"

namespace fovea {

/// What all units of a device look at.
struct DeviceState {
  Clock clock;
  LayerPlan plan;                      ///< Of the layer that runs.
  LayerPlan load_plan;                 ///< Of the layer that is loaded: the same, or the next one.
  Cycle stop_from = kNever;            ///< From this cycle on, no new burst is started.
  DeviceObserver* observer = nullptr;  ///< Set before the first cycle.

  bool is_stopped() const { return stop_from <= clock.now(); }
};

/// A unit whose thread runs one layer after another. run() may keep its state in local variables: restart() begins it
/// anew.
class Unit : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Unit);
  Unit(const sc_core::sc_module_name& name, DeviceState& device)
      : sc_module(name), device_(device), clock_(device.clock) {
    SC_THREAD(run);
    thread_ = sc_core::sc_get_current_process_handle();
  }

  /// Adds what is worth seeing to a VCD file.
  void trace(sc_core::sc_trace_file* waves) const override = 0;

  /// Adds what happened before `cycle`. What a unit does not count it leaves alone.
  virtual void count(Cycle, dla_counters&) const {}

  /// Forgets everything. Call from another unit's process.
  void restart() {
    clear();
    thread_.reset();
  }

 protected:
  /// The thread. Never returns.
  virtual void run() = 0;

  /// Puts what outlives run() back to its reset values.
  virtual void clear() = 0;

  const LayerPlan& plan() const { return device_.plan; }
  const LayerPlan& load_plan() const { return device_.load_plan; }

  /// Tells the observer of an event, now or ahead of its cycle.
  void note(Cycle cycle, TransactionKind kind) const { device_.observer->note(cycle, kind); }

  /// Suspends the thread for good, until restart().
  [[noreturn]] void halt() {
    for (;;) {
      sc_core::wait(never_);
    }
  }

  /// Adds one variable, as <unit>.<variable>.
  template <class Value>
  void trace_as(sc_core::sc_trace_file* waves, const Value& value, const char* variable) const {
    sc_core::sc_trace(waves, value, std::string(basename()) + "." + variable);
  }

  DeviceState& device_;
  const Clock& clock_;

 private:
  sc_core::sc_process_handle thread_;
  sc_core::sc_event never_;
};

}  // namespace fovea
