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
  busy_ = draining_ = false;
  start_.cancel();
  wake_.cancel();
  units->restart_layer(device_.plan);
  thread_.reset();
}

void Control::start(const LayerWords& words, uint32_t watchdog) {
  words_ = words;
  watchdog_ = watchdog;
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

/// The first of these counts, and its address.
void Control::fail(Cycle& event, uint32_t& event_addr, Cycle cycle, uint32_t addr) {
  event_addr = cycle < event ? addr : event_addr;
  wake_for(event, cycle);
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
    end(false, kDlaErrorNone, 0);
    return false;
  }
  const dla_error cause = check_command(machine_, words_);
  if (cause != kDlaErrorNone) {
    sc_core::wait(clock_.half_period());
    end(true, cause, 0);
    return false;
  }
  return true;
}

void Control::run_layer() {
  // The array works out its rows and columns, then everything is cleared, then the units start.
  const Cycle start_cycle = clock_.now() + dla_start_cycles(&machine_);
  if (wait_or_reset(start_cycle - 1)) {
    drain(kDlaErrorNone, 0);
    return;
  }
  device_.plan = LayerPlan(machine_, dla_unpack_layer(&machine_, words_.data()));
  device_.stop_from = kNever;
  units->restart_layer(device_.plan);
  counts_units_ = true;
  if (wait_or_reset(start_cycle)) {
    drain(kDlaErrorNone, 0);
    return;
  }
  units->start_layer();
  run_units();
}

/// Whether this is the last of too many cycles without progress. \pre the middle of a cycle: the units have done what
/// they do in it.
bool Control::is_stuck() const {
  return watchdog_ != 0 && std::max(watched_from_, units->last_progress()) + watchdog_ <= clock_.now();
}

/// Waits until something ends the layer. \return whether that is the watchdog; if so, in the middle of its cycle.
bool Control::wait_for_end() {
  for (;;) {
    const Cycle next = std::min({reset_in_, read_error_in_, write_error_in_, done_in_}), now = clock_.now();
    if (next <= now) {
      return false;
    }
    const Cycle last = watchdog_ == 0 ? kNever : std::max(watched_from_, units->last_progress());
    if (watchdog_ != 0 && last + watchdog_ <= now) {
      if (clock_.until_middle() == sc_core::SC_ZERO_TIME) {
        return true;
      }
      sc_core::wait(clock_.until_middle());
      continue;
    }
    const Cycle until = std::min(next, watchdog_ == 0 ? kNever : last + watchdog_);
    until == kNever ? sc_core::wait(wake_) : sc_core::wait(clock_.until(until), wake_);
  }
}

void Control::run_units() {
  watched_from_ = clock_.now();
  const bool stuck = wait_for_end();
  const Cycle now = clock_.now();
  units->end_layer();
  if (stuck) {
    device_.stop_from = now + 1;
    draining_ = true;
    end(true, kDlaErrorWatchdog, 0);
    drain_late();
  } else if (reset_in_ == now) {
    drain(kDlaErrorNone, 0);
  } else if (read_error_in_ == now) {
    drain(kDlaErrorBusRead, read_error_addr_);
  } else if (write_error_in_ == now) {
    drain(kDlaErrorBusWrite, write_error_addr_);
  } else {
    sc_core::wait(clock_.until_middle());
    end(true, kDlaErrorNone, 0);
  }
}

/// No new bursts; when the last one under way has ended, so has the layer, or when the watchdog gives them up.
void Control::drain(dla_error cause, uint32_t addr) {
  device_.stop_from = clock_.now() + 1;
  // Look in the middle of a cycle, when the units have done what they do in it.
  sc_core::wait(clock_.until_middle());
  for (;;) {
    wait_until(clock_, clock_.now() + 1);
    cause = reset_in_ == clock_.now() ? kDlaErrorNone : cause;
    const bool is_idle = !counts_units_ || units->is_idle();
    if (is_idle || is_stuck()) {
      draining_ = !is_idle;
      break;
    }
  }
  end(cause != kDlaErrorNone, cause, addr);
  if (draining_) {
    drain_late();
  }
}

/// The layer is over; its bursts are not. From the middle of its last cycle to that of theirs.
void Control::drain_late() {
  do {
    wait_until(clock_, clock_.now() + 1);
  } while (!units->is_idle());
  draining_ = false;
  drop_units();
}

void Control::drop_units() {
  device_.observer->note_drop(clock_.now() + 1);
  units->restart_layer(device_.plan);
}

/// In the middle of the layer's last cycle. \param says  Whether its end is reported.
void Control::end(bool says, dla_error cause, uint32_t addr) {
  last_ = count(clock_.now() + 1);
  busy_ = false;
  device_.observer->note(clock_.now(), TransactionKind::kLayerEnd, cause);
  if (counts_units_ && device_.stop_from != kNever && !draining_) {
    drop_units();
  }
  if (says) {
    ended->end_layer(cause, addr);
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
