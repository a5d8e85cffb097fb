// SPDX-License-Identifier: Apache-2.0
/// \file
/// The life of a layer: check, configure, run, and on an error or a reset let the bursts end; and of a list of them.
#include "control.h"

#include <algorithm>
#include <cstring>

#include "setup.h"
#include "spec/dla_timing.h"

namespace fovea {

Control::Control(const sc_core::sc_module_name& name, DeviceState& device)
    : sc_module(name), device_(device), clock_(device.clock) {
  layer(static_cast<LayerControl&>(*this));
  events(static_cast<LayerEvents&>(*this));
  SC_THREAD(run);
  thread_ = sc_core::sc_get_current_process_handle();
  SC_THREAD(look_ahead);
  ahead_thread_ = sc_core::sc_get_current_process_handle();
  SC_METHOD(forget);
  sensitive << drop_;
  dont_initialize();
}

void Control::restart(const dla_machine& machine) {
  machine_ = machine;
  device_.plan = {};
  device_.plan.machine = machine;
  device_.load_plan = device_.plan;
  last_ = {};
  number_ = 0;
}

void Control::trace(sc_core::sc_trace_file* waves) const {
  sc_core::sc_trace(waves, busy_, std::string(basename()) + ".busy");
  sc_core::sc_trace(waves, number_, std::string(basename()) + ".list_layer");
}

void Control::forget() {
  busy_ = draining_ = has_layer_ = prefetches_ = false;
  start_.cancel();
  wake_.cancel();
  ahead_.cancel();
  units->restart_layer(device_.plan, false);
  ahead_thread_.reset();
  thread_.reset();
}

void Control::start(const LayerWords& words, uint32_t watchdog) {
  words_ = words;
  is_list_ = false;
  begin(watchdog);
}

void Control::start_list(uint32_t addr, uint32_t limit, uint32_t watchdog) {
  list_addr_ = addr;
  list_limit_ = limit;
  is_list_ = true;
  begin(watchdog);
}

void Control::begin(uint32_t watchdog) {
  watchdog_ = watchdog;
  busy_ = has_layer_ = true;
  started_ = begun_ = clock_.now();
  number_ = 0;
  counts_units_ = false;
  reset_in_ = read_error_in_ = write_error_in_ = done_in_ = record_failed_in_ = kNever;
  prefetches_ = false;
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

/// Waits for `cycle`. \return whether a reset comes up to then, or the answer that a record could not be written; if
/// so, in its cycle.
bool Control::wait_or_stop(Cycle cycle) {
  while (stopped_in() > clock_.now() && clock_.now() < cycle) {
    const Cycle next = std::min(cycle, stopped_in());
    sc_core::wait(clock_.duration(next - clock_.now()), wake_);
  }
  return stopped_in() <= clock_.now();
}

void Control::run() {
  for (;;) {
    sc_core::wait(start_);
    if (is_list_) {
      run_list();
    } else if (set_up(started_ + kDlaSetupCycles) && run_layer()) {
      end(true, kDlaErrorNone, 0);
    }
  }
}

void Control::run_list() {
  if (!fetch_first() || !set_up(fetched_in_ + kDlaSetupCycles)) {
    return;
  }
  do {
    current_ = fetched_;
    if (!run_layer()) {
      return;
    }
    record();
  } while (go_on());
}

/// \return whether the first entry is there; if not, all has ended.
bool Control::fetch_first() {
  watched_from_ = started_;
  fetch(list_addr_);
  if (!wait_watched_for([this] { return fetched_in_; })) {
    return false;
  }
  const dla_error cause = fetch_cause_ != kDlaErrorNone ? fetch_cause_
                          : list_limit_ == 0            ? kDlaErrorListTooLong
                                                        : kDlaErrorNone;
  if (cause != kDlaErrorNone) {
    sc_core::wait(clock_.until_middle());
    end(true, cause, fetch_error_addr_);
    return false;
  }
  return true;
}

/// Asks for an entry in this cycle, if it can be one's address.
void Control::fetch(uint32_t addr) {
  fetched_in_ = kNever;
  fetch_cause_ = kDlaErrorNone;
  fetch_error_addr_ = 0;
  if (!dla_is_list_entry_addr(addr)) {
    fetch_cause_ = kDlaErrorBadList;
    wake_for(fetched_in_, clock_.now());
    return;
  }
  units->fetch_entry(addr, fetched_.words.data());
}

void Control::entry_comes(Cycle cycle, bool failed, uint32_t failed_addr) {
  fetch_cause_ = failed                                     ? kDlaErrorBusRead
                 : !dla_is_list_head(fetched_.words.data()) ? kDlaErrorBadList
                                                            : kDlaErrorNone;
  fetch_error_addr_ = failed ? failed_addr : 0;
  LayerWords command;
  std::copy_n(fetched_.words.begin() + kDlaListHeadWords, command.size(), command.begin());
  ended->take_command(command);
  wake_for(fetched_in_, cycle + 1);
}

/// Once all loads of the layer that runs have been made, fetches and checks the entry behind it, and once its last
/// output has left the array, the first filters of that one.
void Control::look_ahead() {
  for (;;) {
    sc_core::wait(ahead_);
    do {
      wait_until(clock_, clock_.now() + 1);
      sc_core::wait(clock_.until_middle());
    } while (clock_.now() <= runs_to_ && !units->has_loaded());
    if (clock_.now() > runs_to_) {
      continue;
    }
    sc_core::wait(clock_.until(clock_.now() + 1));
    fetch(current_.next());
    while (fetched_in_ == kNever) {
      sc_core::wait(wake_);
    }
    wait_until(clock_, fetched_in_);
    ahead_cause_ = fetch_cause_;
    if (ahead_cause_ != kDlaErrorNone) {
      wake_for(checked_in_, clock_.now() + 1);
      continue;
    }
    LayerWords command;
    std::copy_n(fetched_.words.begin() + kDlaListHeadWords, command.size(), command.begin());
    ahead_cause_ = check_command(machine_, command);
    wake_for(checked_in_, clock_.now() + kDlaSetupCycles + 1);
    if (ahead_cause_ == kDlaErrorNone) {
      units->wait_for_free_array();
      wait_until(clock_, std::max(checked_in_, units->array_is_free_from()));
      prefetch();
    }
  }
}

/// In the cycle in which the array is told to learn the places of the next layer.
void Control::prefetch() {
  if (is_prefetch_over_ || device_.is_stopped()) {
    return;
  }
  is_prefetch_over_ = true;
  const dla_layer next = dla_unpack_layer(&machine_, fetched_.words.data() + kDlaListHeadWords);
  const dla_glb_plan& glb = device_.plan.layer.glb;
  if (next.shape.lookup || dla_regions_overlap(&next.glb.filter, &glb.out) ||
      dla_regions_overlap(&next.glb.filter, &glb.residual)) {
    return;
  }
  prefetches_ = true;
  prefetch_failed_in_ = kNever;
  device_.load_plan = LayerPlan(machine_, next);
  units->prefetch(device_.load_plan);
}

void Control::read_fails(Cycle cycle, uint32_t addr) {
  prefetches_ ? fail(prefetch_failed_in_, prefetch_failed_addr_, cycle, addr)
              : fail(read_error_in_, read_error_addr_, cycle, addr);
}

/// The command's checks. \return whether the layer may run; if not, it has ended.
bool Control::set_up(Cycle verdict) {
  if (is_list_) {
    std::copy_n(fetched_.words.begin() + kDlaListHeadWords, words_.size(), words_.begin());
  }
  if (wait_or_stop(verdict)) {
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
  places_asked_ = clock_.now();
  return true;
}

/// \return whether it is done, in the middle of its last cycle; if not, all has ended.
bool Control::run_layer() {
  // The array works out its rows and columns, if it has not yet; then everything is cleared, then the units start.
  const Cycle start_cycle = std::max(places_asked_ + dla_start_cycles(&machine_), clock_.now() + kDlaPlacedStartCycles);
  if (wait_or_stop(start_cycle - 1)) {
    drain_stopped();
    return false;
  }
  device_.plan = device_.load_plan = LayerPlan(machine_, dla_unpack_layer(&machine_, words_.data()));
  device_.stop_from = kNever;
  units->restart_layer(device_.plan, prefetches_);
  counts_units_ = true;
  if (wait_or_stop(start_cycle)) {
    drain_stopped();
    return false;
  }
  if (prefetches_ && prefetch_failed_in_ != kNever) {
    fail(read_error_in_, read_error_addr_, std::max(prefetch_failed_in_, start_cycle + 1), prefetch_failed_addr_);
  }
  prefetches_ = false;
  units->start_layer();
  return run_units();
}

/// Whether this is the last of too many cycles without progress. \pre the middle of a cycle: the units have done what
/// they do in it.
bool Control::is_stuck() const {
  return watchdog_ != 0 && std::max(watched_from_, units->last_progress()) + watchdog_ <= clock_.now();
}

/// Waits for `event` or something that ends all. \return whether that is the watchdog; if so, in the middle of its
/// cycle.
template <class Event>
bool Control::wait_for(const Event& event) {
  for (;;) {
    const Cycle next = std::min({stopped_in(), read_error_in_, write_error_in_, event()}), now = clock_.now();
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

/// Between the layers of a list. \return whether `event` has come; if not, all has ended.
template <class Event>
bool Control::wait_watched_for(const Event& event) {
  if (wait_for(event)) {
    expire();
    return false;
  }
  if (stopped_in() <= clock_.now()) {
    drain_stopped();
    return false;
  }
  return true;
}

/// The watchdog's: in the middle of its cycle.
void Control::expire() {
  device_.stop_from = clock_.now() + 1;
  draining_ = true;
  units->stop_sequencer();
  end(true, kDlaErrorWatchdog, 0);
  drain_late();
}

/// \return whether the layer is done, in the middle of its last cycle; if not, all has ended.
bool Control::run_units() {
  watched_from_ = clock_.now();
  runs_to_ = checked_in_ = kNever;
  is_prefetch_over_ = false;
  if (is_list_ && current_.next() != 0 && number_ + 1 < list_limit_) {
    ahead_.notify(sc_core::SC_ZERO_TIME);
  }
  const bool stuck = wait_for([this] { return done_in_; });
  const Cycle now = runs_to_ = clock_.now();
  units->end_layer();
  if (stuck) {
    expire();
  } else if (stopped_in() == now) {
    drain_stopped();
  } else if (read_error_in_ == now) {
    drain(kDlaErrorBusRead, read_error_addr_);
  } else if (write_error_in_ == now) {
    drain(kDlaErrorBusWrite, write_error_addr_);
  } else {
    sc_core::wait(clock_.until_middle());
    return true;
  }
  return false;
}

/// Begins to write the layer's counters to memory, if the list says where, in the cycle behind its end.
void Control::record() {
  end_layer();
  device_.observer->note(clock_.now(), TransactionKind::kLayerEnd);
  started_ = recorded_in_ = clock_.now();
  done_in_ = kNever;
  sc_core::wait(clock_.until(clock_.now() + 1));
  if (current_.record() == 0) {
    return;
  }
  recorded_ = number_;
  record_addr_ = current_.record();
  std::array<uint32_t, kDlaListRecordWords> words = {number_};
  uint32_t at = kDlaListHeadWords;
#define FOVEA_RECORD(NAME, name, offset) words[at++] = last_.name;
  DLA_FOR_EACH_COUNTER(FOVEA_RECORD)
#undef FOVEA_RECORD
  recorded_in_ = kNever;
  units->send_record(record_addr_, words.data());
}

void Control::record_answered(Cycle cycle, bool failed) {
  wake_for(recorded_in_, cycle);
  if (failed) {
    wake_for(record_failed_in_, cycle);
  }
}

/// \return whether the record has been written, in the first cycle in which that counts; if not, all has ended.
bool Control::wait_for_record() {
  if (!wait_watched_for([this] { return recorded_in_; })) {
    return false;
  }
  if (wait_or_stop(recorded_in_ + 1)) {
    drain_stopped();
    return false;
  }
  return true;
}

/// \return whether the entry behind the current one has been checked; if not, all has ended.
bool Control::wait_for_verdict() {
  // The watchdog looks at what the bus owes, a fetch or a record, not at the checks.
  if (!wait_watched_for([this] { return fetched_in_; }) ||
      !wait_watched_for([this] { return std::min(recorded_in_, checked_in_); })) {
    return false;
  }
  while (checked_in_ == kNever && stopped_in() > clock_.now()) {
    sc_core::wait(wake_);
  }
  if (wait_or_stop(checked_in_)) {
    drain_stopped();
    return false;
  }
  return true;
}

/// Makes the next entry the current one. \return whether it is, in the cycle before its layer's first; if not, all has
/// ended.
bool Control::go_on() {
  if (stopped_in() <= clock_.now()) {
    drain_stopped();
    return false;
  }
  const bool is_last = current_.next() == 0, is_too_long = !is_last && number_ + 1 >= list_limit_;
  if (is_last || is_too_long) {
    if (wait_for_record()) {
      sc_core::wait(clock_.until_middle());
      number_ += is_too_long ? 1 : 0;
      end(true, is_too_long ? kDlaErrorListTooLong : kDlaErrorNone, 0);
    }
    return false;
  }
  if (!wait_for_verdict()) {
    return false;
  }
  if (ahead_cause_ != kDlaErrorNone) {
    if (wait_for_record()) {
      sc_core::wait(clock_.until_middle());
      ++number_;
      end(true, ahead_cause_, fetch_error_addr_);
    }
    return false;
  }
  ++number_;
  std::copy_n(fetched_.words.begin() + kDlaListHeadWords, words_.size(), words_.begin());
  places_asked_ = std::max(checked_in_, units->array_is_free_from());
  if (places_asked_ == clock_.now()) {
    prefetch();
  }
  units->count_next();
  begun_ = clock_.now();
  has_layer_ = true;
  counts_units_ = false;
  device_.observer->note(begun_, TransactionKind::kLayerStart);
  return true;
}

/// In the cycle of a reset, or of the answer that a record could not be written: then it ends the list, as its layer's.
void Control::drain_stopped() {
  if (reset_in_ <= clock_.now()) {
    drain(kDlaErrorNone, 0);
    return;
  }
  number_ = recorded_;
  drain(kDlaErrorBusWrite, record_addr_);
}

/// No new bursts; when the last one under way has ended, so has the layer, or when the watchdog gives them up.
void Control::drain(dla_error cause, uint32_t addr) {
  device_.stop_from = clock_.now() + 1;
  // Look in the middle of a cycle, when the units have done what they do in it.
  sc_core::wait(clock_.until_middle());
  for (;;) {
    wait_until(clock_, clock_.now() + 1);
    cause = reset_in_ == clock_.now() ? kDlaErrorNone : cause;
    const bool is_idle = units->is_idle();
    if (is_idle || is_stuck()) {
      draining_ = !is_idle;
      break;
    }
  }
  end(cause != kDlaErrorNone, cause, addr);
  if (draining_) {
    units->stop_sequencer();
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
  ahead_thread_.reset();
  prefetches_ = false;
  units->restart_layer(device_.plan, false);
}

/// In the middle of the layer's last cycle: what was counted stands.
void Control::end_layer() {
  if (!has_layer_) {
    return;
  }
  last_ = count(clock_.now() + 1);
  has_layer_ = false;
}

/// In the middle of the last cycle of the layer or list. \param says  Whether its end is reported.
void Control::end(bool says, dla_error cause, uint32_t addr) {
  const bool had_layer = has_layer_;
  end_layer();
  busy_ = false;
  if (had_layer) {
    device_.observer->note(clock_.now(), TransactionKind::kLayerEnd, cause);
  }
  if ((counts_units_ || prefetches_) && device_.stop_from != kNever && !draining_) {
    drop_units();
  }
  if (says) {
    ended->end_layer(cause, addr);
  }
}

dla_counters Control::counters() const { return has_layer_ && begun_ < clock_.now() ? count(clock_.now()) : last_; }

/// Counted before `cycle`.
dla_counters Control::count(Cycle cycle) const {
  dla_counters counters{};
  if (cycle <= started_ + 1) {
    return counters;
  }
  counters.cycles = static_cast<uint32_t>(cycle - started_ - 1);
  if (counts_units_) {
    units->count(cycle, counters);
  } else if (prefetches_) {
    units->count_loads(cycle, counters);
  }
  counters.control_cycles = counters.cycles - counters.compute_cycles - counters.psum_cycles - counters.filter_cycles -
                            counters.ifmap_cycles - counters.dram_cycles - counters.output_cycles;
  return counters;
}

}  // namespace fovea
