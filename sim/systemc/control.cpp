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
  events(static_cast<EndingEvents&>(*this));
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
  list_.number = 0;
}

void Control::trace(sc_core::sc_trace_file* waves) const {
  sc_core::sc_trace(waves, busy_, std::string(basename()) + ".busy");
  sc_core::sc_trace(waves, list_.number, std::string(basename()) + ".list_layer");
}

void Control::forget() {
  busy_ = draining_ = has_layer_ = prefetch_.is_pending = false;
  start_.cancel();
  wake_.cancel();
  has_next_.cancel();
  units->restart_layer(device_.plan, false);
  ahead_thread_.reset();
  thread_.reset();
}

void Control::start(const LayerWords& words, uint32_t watchdog) {
  words_ = words;
  list_.is_under_way = false;
  begin(watchdog);
}

void Control::start_list(uint32_t addr, uint32_t limit, uint32_t watchdog) {
  list_.addr = addr;
  list_.limit = limit;
  list_.is_under_way = true;
  begin(watchdog);
}

void Control::begin(uint32_t watchdog) {
  run_.watchdog = watchdog;
  busy_ = has_layer_ = true;
  run_.started = run_.begun = clock_.now();
  list_.number = 0;
  run_.counts_units = false;
  run_.reset_in = run_.read_error_in = run_.write_error_in = run_.done_in = record_.failed_in = kNever;
  prefetch_.is_pending = false;
  start_.notify(clock_.duration(1));
  device_.observer->note(run_.started, TransactionKind::kLayerStart);
}

void Control::reset() {
  if (busy_) {
    wake_for(run_.reset_in, clock_.now());
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
    if (list_.is_under_way) {
      run_list();
    } else if (set_up(run_.started + kDlaSetupCycles) && run_layer()) {
      end(true, kDlaErrorNone, 0);
    }
  }
}

void Control::run_list() {
  if (!fetch_first() || !set_up(next_.fetched_in + kDlaSetupCycles)) {
    return;
  }
  do {
    list_.current = next_.entry;
    if (!run_layer()) {
      return;
    }
    record();
  } while (go_on());
}

/// \return whether the first entry is there; if not, all has ended.
bool Control::fetch_first() {
  run_.watched_from = run_.started;
  fetch(list_.addr);
  if (!wait_watched_for([this] { return next_.fetched_in; })) {
    return false;
  }
  const dla_error cause = next_.fetch_cause != kDlaErrorNone ? next_.fetch_cause
                          : list_.limit == 0                 ? kDlaErrorListTooLong
                                                             : kDlaErrorNone;
  if (cause != kDlaErrorNone) {
    sc_core::wait(clock_.until_middle());
    end(true, cause, next_.fetch_error_addr);
    return false;
  }
  return true;
}

/// Asks for an entry in this cycle, if it can be one's address.
void Control::fetch(uint32_t addr) {
  next_.fetched_in = kNever;
  next_.fetch_cause = kDlaErrorNone;
  next_.fetch_error_addr = 0;
  if (!dla_is_list_entry_addr(addr)) {
    next_.fetch_cause = kDlaErrorBadList;
    wake_for(next_.fetched_in, clock_.now());
    return;
  }
  units->fetch_entry(addr, next_.entry.words.data());
}

void Control::entry_comes(Cycle cycle, bool failed, uint32_t failed_addr) {
  next_.fetch_cause = failed                                        ? kDlaErrorBusRead
                      : !dla_is_list_head(next_.entry.words.data()) ? kDlaErrorBadList
                                                                    : kDlaErrorNone;
  next_.fetch_error_addr = failed ? failed_addr : 0;
  LayerWords command;
  std::copy_n(next_.entry.words.begin() + kDlaListHeadWords, command.size(), command.begin());
  ended->take_command(command);
  wake_for(next_.fetched_in, cycle + 1);
}

namespace {

/// Whether the array may read ifmaps or psums in a region.
bool is_read(const LayerPlan& plan, const dla_region& region) {
  return dla_regions_overlap(&region, &plan.layer.glb.ifmap) || dla_regions_overlap(&region, &plan.layer.glb.psum);
}

/// Whether outputs, or what is added to them, may lie in a region.
bool holds_outputs(const LayerPlan& plan, const dla_region& region) {
  const auto meets_tensor = [&](const dla_planes& of) {
    const dla_region banks = of.on_chip ? dla_banks_of(&plan.machine, &of) : dla_region{};
    return dla_regions_overlap(&region, &banks);
  };
  const dla_glb_plan& glb = plan.layer.glb;
  return dla_regions_overlap(&region, &glb.out) || dla_regions_overlap(&region, &glb.residual) ||
         meets_tensor(plan.ofmap) || (plan.layer.shape.residual && meets_tensor(plan.residual));
}

}  // namespace

/// Once all loads of the layer that runs have been made, fetches and checks the entry behind it, and then the first
/// filters of that one.
void Control::look_ahead() {
  for (;;) {
    sc_core::wait(has_next_);
    do {
      wait_until(clock_, clock_.now() + 1);
      sc_core::wait(clock_.until_middle());
    } while (clock_.now() <= run_.runs_to && !units->has_loaded());
    if (clock_.now() > run_.runs_to) {
      continue;
    }
    sc_core::wait(clock_.until(clock_.now() + 1));
    fetch(list_.current.next());
    while (next_.fetched_in == kNever) {
      sc_core::wait(wake_);
    }
    wait_until(clock_, next_.fetched_in);
    next_.check_cause = next_.fetch_cause;
    if (next_.check_cause != kDlaErrorNone) {
      wake_for(next_.checked_in, clock_.now() + 1);
      continue;
    }
    LayerWords command;
    std::copy_n(next_.entry.words.begin() + kDlaListHeadWords, command.size(), command.begin());
    next_.check_cause = check_command(machine_, command);
    wake_for(next_.checked_in, clock_.now() + kDlaSetupCycles + 1);
    if (next_.check_cause == kDlaErrorNone) {
      const dla_region region = dla_unpack_layer(&machine_, command.data()).glb.filter;
      if (dla_regions_overlap(&region, &device_.plan.layer.glb.filter)) {
        units->wait_for_last_set();
      }
      if (is_read(device_.plan, region)) {
        units->wait_for_free_array();
        wait_until(clock_, units->array_is_free_from());
      }
      wait_until(clock_, next_.checked_in);
      prefetch();
    }
  }
}

/// In the first cycle in which the next layer's first filters may be loaded.
void Control::prefetch() {
  if (prefetch_.is_over || device_.is_stopped()) {
    return;
  }
  prefetch_.is_over = true;
  const dla_layer next = dla_unpack_layer(&machine_, next_.entry.words.data() + kDlaListHeadWords);
  if (next.shape.lookup || holds_outputs(device_.plan, next.glb.filter)) {
    return;
  }
  prefetch_.is_pending = true;
  prefetch_.failed_in = kNever;
  device_.load_plan = LayerPlan(machine_, next);
  units->prefetch(device_.load_plan);
}

void Control::read_fails(Cycle cycle, uint32_t addr) {
  prefetch_.is_pending ? fail(prefetch_.failed_in, prefetch_.failed_addr, cycle, addr)
                       : fail(run_.read_error_in, run_.read_error_addr, cycle, addr);
}

/// The command's checks. \return whether the layer may run; if not, it has ended.
bool Control::set_up(Cycle verdict) {
  if (list_.is_under_way) {
    std::copy_n(next_.entry.words.begin() + kDlaListHeadWords, words_.size(), words_.begin());
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
  run_.places_asked = clock_.now();
  return true;
}

/// \return whether it is done, in the middle of its last cycle; if not, all has ended.
bool Control::run_layer() {
  // The array works out its rows and columns, if it has not yet; then everything is cleared, then the units start.
  const Cycle start_cycle =
      std::max(run_.places_asked + dla_start_cycles(&machine_), clock_.now() + kDlaPlacedStartCycles);
  if (wait_or_stop(start_cycle - 1)) {
    drain_stopped();
    return false;
  }
  device_.plan = device_.load_plan = LayerPlan(machine_, dla_unpack_layer(&machine_, words_.data()));
  device_.stop_from = kNever;
  units->restart_layer(device_.plan, prefetch_.is_pending);
  run_.counts_units = true;
  if (wait_or_stop(start_cycle)) {
    drain_stopped();
    return false;
  }
  if (prefetch_.is_pending && prefetch_.failed_in != kNever) {
    fail(run_.read_error_in, run_.read_error_addr, std::max(prefetch_.failed_in, start_cycle + 1),
         prefetch_.failed_addr);
  }
  prefetch_.is_pending = false;
  units->start_layer();
  return run_units();
}

/// Whether this is the last of too many cycles without progress. \pre the middle of a cycle: the units have done what
/// they do in it.
bool Control::is_stuck() const {
  return run_.watchdog != 0 && std::max(run_.watched_from, units->last_progress()) + run_.watchdog <= clock_.now();
}

/// Waits for `event` or something that ends all. \return whether that is the watchdog; if so, in the middle of its
/// cycle.
template <class Event>
bool Control::wait_for(const Event& event) {
  for (;;) {
    const Cycle next = std::min({stopped_in(), run_.read_error_in, run_.write_error_in, event()}), now = clock_.now();
    if (next <= now) {
      return false;
    }
    const Cycle last = run_.watchdog == 0 ? kNever : std::max(run_.watched_from, units->last_progress());
    if (run_.watchdog != 0 && last + run_.watchdog <= now) {
      if (clock_.until_middle() == sc_core::SC_ZERO_TIME) {
        return true;
      }
      sc_core::wait(clock_.until_middle());
      continue;
    }
    const Cycle until = std::min(next, run_.watchdog == 0 ? kNever : last + run_.watchdog);
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
  run_.watched_from = clock_.now();
  run_.runs_to = next_.checked_in = kNever;
  prefetch_.is_over = false;
  if (list_.is_under_way && list_.current.next() != 0 && list_.number + 1 < list_.limit) {
    has_next_.notify(sc_core::SC_ZERO_TIME);
  }
  const bool stuck = wait_for([this] { return run_.done_in; });
  const Cycle now = run_.runs_to = clock_.now();
  units->end_layer();
  if (stuck) {
    expire();
  } else if (stopped_in() == now) {
    drain_stopped();
  } else if (run_.read_error_in == now) {
    drain(kDlaErrorBusRead, run_.read_error_addr);
  } else if (run_.write_error_in == now) {
    drain(kDlaErrorBusWrite, run_.write_error_addr);
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
  run_.started = record_.answered_in = clock_.now();
  run_.done_in = kNever;
  sc_core::wait(clock_.until(clock_.now() + 1));
  if (list_.current.record() == 0) {
    return;
  }
  record_.number = list_.number;
  record_.addr = list_.current.record();
  std::array<uint32_t, kDlaListRecordWords> words = {list_.number};
  uint32_t at = kDlaListHeadWords;
#define FOVEA_RECORD(NAME, name, offset) words[at++] = last_.name;
  DLA_FOR_EACH_COUNTER(FOVEA_RECORD)
#undef FOVEA_RECORD
  record_.answered_in = kNever;
  units->send_record(record_.addr, words.data());
}

void Control::record_answered(Cycle cycle, bool failed) {
  wake_for(record_.answered_in, cycle);
  if (failed) {
    wake_for(record_.failed_in, cycle);
  }
}

/// \return whether the record has been written, in the first cycle in which that counts; if not, all has ended.
bool Control::wait_for_record() {
  if (!wait_watched_for([this] { return record_.answered_in; })) {
    return false;
  }
  if (wait_or_stop(record_.answered_in + 1)) {
    drain_stopped();
    return false;
  }
  return true;
}

/// \return whether the entry behind the current one has been checked; if not, all has ended.
bool Control::wait_for_verdict() {
  // The watchdog looks at what the bus owes, a fetch or a record, not at the checks.
  if (!wait_watched_for([this] { return next_.fetched_in; }) ||
      !wait_watched_for([this] { return std::min(record_.answered_in, next_.checked_in); })) {
    return false;
  }
  while (next_.checked_in == kNever && stopped_in() > clock_.now()) {
    sc_core::wait(wake_);
  }
  if (wait_or_stop(next_.checked_in)) {
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
  const bool is_last = list_.current.next() == 0, is_too_long = !is_last && list_.number + 1 >= list_.limit;
  if (is_last || is_too_long) {
    if (wait_for_record()) {
      sc_core::wait(clock_.until_middle());
      list_.number += is_too_long ? 1 : 0;
      end(true, is_too_long ? kDlaErrorListTooLong : kDlaErrorNone, 0);
    }
    return false;
  }
  if (!wait_for_verdict()) {
    return false;
  }
  if (next_.check_cause != kDlaErrorNone) {
    if (wait_for_record()) {
      sc_core::wait(clock_.until_middle());
      ++list_.number;
      end(true, next_.check_cause, next_.fetch_error_addr);
    }
    return false;
  }
  ++list_.number;
  std::copy_n(next_.entry.words.begin() + kDlaListHeadWords, words_.size(), words_.begin());
  run_.places_asked = std::max(next_.checked_in, units->array_is_free_from());
  if (next_.checked_in == clock_.now()) {
    prefetch();
  }
  units->count_next();
  run_.begun = clock_.now();
  has_layer_ = true;
  run_.counts_units = false;
  device_.observer->note(run_.begun, TransactionKind::kLayerStart);
  return true;
}

/// In the cycle of a reset, or of the answer that a record could not be written: then it ends the list, as its layer's.
void Control::drain_stopped() {
  if (run_.reset_in <= clock_.now()) {
    drain(kDlaErrorNone, 0);
    return;
  }
  list_.number = record_.number;
  drain(kDlaErrorBusWrite, record_.addr);
}

/// No new bursts; when the last one under way has ended, so has the layer, or when the watchdog gives them up.
void Control::drain(dla_error cause, uint32_t addr) {
  device_.stop_from = clock_.now() + 1;
  // Look in the middle of a cycle, when the units have done what they do in it.
  sc_core::wait(clock_.until_middle());
  for (;;) {
    wait_until(clock_, clock_.now() + 1);
    cause = run_.reset_in == clock_.now() ? kDlaErrorNone : cause;
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
  prefetch_.is_pending = false;
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
  if ((run_.counts_units || prefetch_.is_pending) && device_.stop_from != kNever && !draining_) {
    drop_units();
  }
  if (says) {
    ended->end_layer(cause, addr);
  }
}

dla_counters Control::counters() const { return has_layer_ && run_.begun < clock_.now() ? count(clock_.now()) : last_; }

/// Counted before `cycle`.
dla_counters Control::count(Cycle cycle) const {
  dla_counters counters{};
  if (cycle <= run_.started + 1) {
    return counters;
  }
  counters.cycles = static_cast<uint32_t>(cycle - run_.started - 1);
  if (run_.counts_units) {
    units->count(cycle, counters);
  } else if (prefetch_.is_pending) {
    units->count_loads(cycle, counters);
  }
  counters.control_cycles = counters.cycles - counters.compute_cycles - counters.psum_cycles - counters.filter_cycles -
                            counters.ifmap_cycles - counters.dram_cycles - counters.output_cycles;
  return counters;
}

}  // namespace fovea
