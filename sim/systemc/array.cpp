// SPDX-License-Identifier: Apache-2.0
/// \file
/// The PE array and its control: starts each pass when all its tokens are there, and counts every cycle's cause.
#include "array.h"

#include <algorithm>

namespace fovea {

void Array::clear() {
  has_run_ = filled_ = has_set_ = false;
  before_ = {};
  waiting_from_ = window_owed_ = 0;
  tile_ = 0;
  free_from_ = kNever;
  phase_ = Phase::kNoPass;
  from_ = 0;
  running_from_ = running_to_ = kNever;
  causes_ = {};
  started_passes_ = 0;
  running_ = nullptr;
  activities_.clear();
  reads_ = writes_ = 0;
  multiplied_in_ = 0;
}

void Array::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, shown_phase_, "phase");
  trace_as(waves, started_passes_, "passes");
}

void Array::run() {
  sc_core::wait(started_layer_);
  convolution_.start_layer(plan(), glb->bytes(), table->bytes());
  for (;;) {
    if (!filled_) {
      wait_for_window();
    }
    const dla_pass pass = passes->front();
    wait_for_tokens(pass);
    start(pass);
    run_pass(pass);
  }
}

bool Array::next_is_ready() const { return passes->is_valid() && (!passes->front().new_ifmap || ifmaps->is_there()); }

void Array::ask_for_window() {
  if (passes->front().new_ifmap) {
    ifmaps->take();
  }
  activities_.emplace_back(plan(), passes->front(), clock_.now());
  note(clock_.now(), TransactionKind::kWindow);
}

/// Brings a first window while the array does nothing else.
void Array::wait_for_window() {
  enter(before_.last ? Phase::kEnded : Phase::kNoPass, waiting_from_);
  passes->wait_valid();
  enter(Phase::kNoIfmap, clock_.now());
  if (passes->front().new_ifmap) {
    ifmaps->wait_there();
  }
  ask_for_window();
  enter(Phase::kFill, clock_.now());
  wait_until(clock_, clock_.now() + dla_window_cycles(&passes->front().lengths));
  waiting_from_ = clock_.now();
}

/// The psums of the pass before must have left the PEs and, where they are read again at once, be in the GLB.
Cycle Array::psums_clear_from(const dla_pass& next) const {
  if (next.waits_psum) {
    return last_product_ + dla_drain_cycles(&plan().passes, &before_.lengths);
  }
  return last_product_ + (before_.lengths.slot_words - std::min(before_.lengths.slot_words, next.lengths.slot_cycles));
}

void Array::wait_for_tokens(const dla_pass& pass) {
  enter(Phase::kNoFilters, waiting_from_);
  if (pass.new_set) {
    fed->wait_valid();
  }
  enter(Phase::kPsums, std::max(waiting_from_, clock_.now()));
  if (has_run_) {
    wait_until(clock_, std::max(psums_clear_from(pass), started_ + kDlaMinPassCycles));
  }
  enter(Phase::kNoTile, std::max(waiting_from_, clock_.now()));
  if (pass.last_k) {
    free_tiles->wait_there();
  }
}

void Array::start(const dla_pass& pass) {
  retire_activities();
  started_ = clock_.now();
  enter(Phase::kStart, std::max(waiting_from_, started_));
  passes->pop();
  if (pass.new_set) {
    convolution_.load_filters(pass, fed->pop());
    if (has_set_) {
      free_halves->put(started_ + 1);
    }
    has_set_ = true;
  }
  if (pass.last_k) {
    free_tiles->take();
  }
  convolution_.compute(pass, tile_bytes_[tile_]);
  running_ = &activities_.back();
  running_->start(started_ + 1);
  note(started_, TransactionKind::kPassStart);
  if (pass.last_k) {
    note(started_ + dla_first_psum_cycles(&plan().passes, &pass.lengths), TransactionKind::kTileStart);
  }
  ++started_passes_;
  enter(Phase::kRun, started_ + 1);
}

/// Asks for the next pass's window in the first step of the tail that finds it there.
/// \return  The first cycle after it has been brought; 0 where none of them does.
Cycle Array::ask_in_tail(const dla_pass& pass, Cycle tail, Cycle last_step) {
  filled_ = false;
  for (Cycle step = tail; step <= last_step; step += pass.lengths.column_cycles) {
    wait_until(clock_, step);
    if (next_is_ready()) {
      filled_ = true;
      ask_for_window();
      return step + passes->front().lengths.fill_words;
    }
  }
  return 0;
}

void Array::run_pass(const dla_pass& pass) {
  const Cycle last_step = running_->last_step();
  const Cycle window_end = ask_in_tail(pass, running_->tail(), last_step);
  wait_until(clock_, last_step);
  if (pass.release_ifmap) {
    free_ifmaps->put(last_step + 1);
    note(last_step, TransactionKind::kIfmapFree);
  }
  const bool had_next = passes->is_valid();
  last_product_ = last_step + pass.lengths.column_cycles - 1;
  if (pass.last_k) {
    const LayerPlan& layer = plan();
    const uint32_t rows = dla_pooled(&layer.layer.shape, pass.extent.e);
    const Cycle tile_seen = last_product_ + dla_tile_cycles(&layer.passes, &pass.lengths);
    tiles->push_at({pass.last, pass.ofmap_filter, pass.ofmap_row, pass.extent.filters, rows, layer.passes.ofmap_cols,
                    &tile_bytes_[tile_]},
                   tile_seen);
    note(tile_seen - 1, TransactionKind::kTileEnd);
    tile_ ^= 1;
    if (pass.last) {
      free_from_ = tile_seen;
      free_known_.notify();
    }
  }
  waiting_from_ = std::max(last_step + pass.lengths.column_cycles, window_end);
  note(waiting_from_ - 1, TransactionKind::kPassEnd);
  // A chunk that was not there for the last step is late for all of it.
  window_owed_ = !filled_ && had_next ? waiting_from_ - last_step : 0;
  has_run_ = true;
  before_ = pass;
  // What is there in the last cycle starts the next pass without a gap.
  wait_until(clock_, filled_ ? waiting_from_ - 1 : waiting_from_);
}

void Array::retire_activities() {
  while (activities_.size() > 1 && activities_.front().end() <= clock_.now()) {
    const PassActivity& over = activities_.front();
    reads_ += over.ifmap_reads(kNever) + over.psum_reads(kNever);
    writes_ += over.writes(kNever);
    multiplied_in_ = std::max(multiplied_in_, over.last_product_by(over.end()));
    activities_.pop_front();
  }
}

Cycle Array::last_progress() const {
  const Cycle by = std::min(clock_.now(), running_to_);
  Cycle last = multiplied_in_;
  for (const PassActivity& activity : activities_) {
    last = std::max(last, activity.last_product_by(by));
  }
  return last;
}

void Array::enter(Phase phase, Cycle from) {
  add_phase(causes_, from);
  phase_ = phase;
  shown_phase_ = static_cast<uint32_t>(phase);
  from_ = from;
}

/// Adds the cycles of the present phase that lie before `end`.
void Array::add_phase(Causes& causes, Cycle end) const {
  const Cycle from = std::max(from_, running_from_);
  const Cycle to = running_to_ == kNever ? end : std::min(end, running_to_ + 1);
  if (to <= from) {
    return;
  }
  const Cycle cycles = to - from;
  switch (phase_) {
    case Phase::kNoIfmap:
      causes.dram += cycles;
      break;
    case Phase::kFill: {
      const Cycle late = std::min(cycles, window_owed_);
      causes.dram += late;
      causes.ifmap += cycles - late;
      break;
    }
    case Phase::kNoFilters: {
      const Cycle late = set_moves->late_cycles(from, to);
      causes.dram += late;
      causes.filter += cycles - late;
      break;
    }
    case Phase::kPsums:
      causes.psum += cycles;
      break;
    case Phase::kNoTile:
    case Phase::kEnded:
      causes.output += cycles;
      break;
    case Phase::kRun:
      causes.compute += running_->compute_cycles(to);
      causes.psum += running_->psum_cycles(to);
      causes.ifmap += cycles - running_->compute_cycles(to) - running_->psum_cycles(to);
      break;
    case Phase::kNoPass:
    case Phase::kStart:
      break;
  }
}

void Array::count(Cycle cycle, dla_counters& counters) const {
  Causes causes = causes_;
  add_phase(causes, cycle);
  counters.compute_cycles = static_cast<uint32_t>(causes.compute);
  counters.psum_cycles = static_cast<uint32_t>(causes.psum);
  counters.filter_cycles = static_cast<uint32_t>(causes.filter);
  counters.ifmap_cycles = static_cast<uint32_t>(causes.ifmap);
  counters.dram_cycles = static_cast<uint32_t>(causes.dram);
  counters.output_cycles = static_cast<uint32_t>(causes.output);
  counters.passes = started_passes_;
  uint64_t reads = reads_, writes = writes_;
  for (const PassActivity& activity : activities_) {
    reads += activity.ifmap_reads(cycle) + activity.psum_reads(cycle);
    writes += activity.writes(cycle);
  }
  counters.glb_read_words += static_cast<uint32_t>(reads);
  counters.glb_write_words += static_cast<uint32_t>(writes);
}

}  // namespace fovea
