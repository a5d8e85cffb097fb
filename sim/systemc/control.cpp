// SPDX-License-Identifier: Apache-2.0
/// \file
/// The life of a layer: check, configure, run, and on an error or a reset let the bursts end.
#include "control.h"

#include <algorithm>

#include "setup.h"
#include "spec/dla_timing.h"

namespace fovea {

Control::Control(const sc_core::sc_module_name& name, DeviceState& device)
    : sc_module(name), device_(device), clock_(device.clock) {
  layer(static_cast<LayerControl&>(*this));
  events(static_cast<LayerEvents&>(*this));
  SC_THREAD(run);
  thread_ = sc_core::sc_get_current_process_handle();
  SC_METHOD(forget);
  sensitive << drop_;
  dont_initialize();
}

void Control::restart(const dla_machine& machine) {
  machine_ = machine;
  last_ = {};
}

void Control::trace(sc_core::sc_trace_file* waves) const {
  sc_core::sc_trace(waves, busy_, std::string(basename()) + ".busy");
}

void Control::forget() {
  busy_ = false;
  start_.cancel();
  wake_.cancel();
  units->restart_layer(device_.plan);
  thread_.reset();
}

void Control::start(const LayerWords& words) {
  words_ = words;
  busy_ = true;
  started_ = clock_.now();
  counts_units_ = false;
  reset_in_ = read_error_in_ = write_error_in_ = done_in_ = kNever;
  start_.notify(clock_.duration(1));
  device_.observer->note(started_, TransactionKind::kLayerStart);
}

void Control::reset() {
  if (busy_) {
    wake_for(reset_in_, clock_.now());
  }
}

void Control::wake_for(Cycle& event, Cycle cycle) {
  event = std::min(event, cycle);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

/// Waits for `cycle`. \return whether a reset comes up to then; if so, in its cycle.
bool Control::wait_or_reset(Cycle cycle) {
  while (reset_in_ > clock_.now() && clock_.now() < cycle) {
    sc_core::wait(clock_.duration(cycle - clock_.now()), wake_);
  }
  return reset_in_ <= clock_.now();
}

void Control::run() {
  for (;;) {
    sc_core::wait(start_);
    if (set_up()) {
      run_layer();
    }
  }
}

/// The command's checks. \return whether the layer may run; if not, it has ended.
bool Control::set_up() {
  // It began the cycle after START.
  if (wait_or_reset(clock_.now() + kDlaSetupCycles - 1)) {
    sc_core::wait(clock_.half_period());
    end(false, kDlaErrorNone);
    return false;
  }
  const dla_error cause = check_command(machine_, words_);
  if (cause != kDlaErrorNone) {
    sc_core::wait(clock_.half_period());
    end(true, cause);
    return false;
  }
  return true;
}

void Control::run_layer() {
  // The array works out its rows and columns, then everything is cleared, then the units start.
  const Cycle start_cycle = clock_.now() + dla_start_cycles(&machine_);
  if (wait_or_reset(start_cycle - 1)) {
    drain(kDlaErrorNone);
    return;
  }
  device_.plan = LayerPlan(machine_, dla_unpack_layer(&machine_, words_.data()));
  device_.stop_from = kNever;
  units->restart_layer(device_.plan);
  counts_units_ = true;
  if (wait_or_reset(start_cycle)) {
    drain(kDlaErrorNone);
    return;
  }
  units->start_layer();
  run_units();
}

void Control::run_units() {
  Cycle next = 0;
  while ((next = std::min({reset_in_, read_error_in_, write_error_in_, done_in_})) > clock_.now()) {
    next == kNever ? sc_core::wait(wake_) : sc_core::wait(clock_.duration(next - clock_.now()), wake_);
  }
  units->end_layer();
  if (read_error_in_ == next) {
    drain(kDlaErrorBusRead);
  } else if (write_error_in_ == next) {
    drain(kDlaErrorBusWrite);
  } else if (reset_in_ == next) {
    drain(kDlaErrorNone);
  } else {
    sc_core::wait(clock_.half_period());
    end(true, kDlaErrorNone);
  }
}

/// No new bursts; when the last one under way has ended, so has the layer.
void Control::drain(dla_error cause) {
  device_.stop_from = clock_.now() + 1;
  // Look in the middle of a cycle, when the units have done what they do in it.
  sc_core::wait(clock_.half_period());
  for (;;) {
    wait_until(clock_, clock_.now() + 1);
    if (!counts_units_ || (units->is_idle())) {
      break;
    }
    cause = reset_in_ == clock_.now() ? kDlaErrorNone : cause;
  }
  end(cause != kDlaErrorNone, cause);
}

/// In the middle of the layer's last cycle. \param says  Whether its end is reported.
void Control::end(bool says, dla_error cause) {
  last_ = count(clock_.now() + 1);
  busy_ = false;
  device_.observer->note(clock_.now(), TransactionKind::kLayerEnd, cause);
  if (counts_units_ && device_.stop_from != kNever) {
    device_.observer->note_drop(clock_.now() + 1);
    units->restart_layer(device_.plan);
  }
  if (says) {
    ended->end_layer(cause);
  }
}

dla_counters Control::counters() const { return busy_ ? count(clock_.now()) : last_; }

/// Counted before `cycle`.
dla_counters Control::count(Cycle cycle) const {
  dla_counters counters{};
  if (cycle <= started_ + 1) {
    return counters;
  }
  counters.cycles = static_cast<uint32_t>(cycle - started_ - 1);
  if (counts_units_) {
    units->count(cycle, counters);
  }
  counters.control_cycles = counters.cycles - counters.compute_cycles - counters.psum_cycles - counters.filter_cycles -
                            counters.ifmap_cycles - counters.dram_cycles - counters.output_cycles;
  return counters;
}

}  // namespace fovea
