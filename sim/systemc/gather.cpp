// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers the bytes of finished output tiles, run by run, into write bursts.
#include "gather.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "spec/dla_output.h"
#include "spec/dla_schedule.h"

namespace fovea {

void Gather::clear() {
  words_ = beats_ = 0;
  beat_read_in_ = kNever;
  from_ = 0;
  ahead_ = 0;
  ahead_of_ = nullptr;
  recent_beats_.clear();
  residual_tile_ = residual_word_ = 0;
}

void Gather::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, words_, "words");
  trace_as(waves, beats_, "beats");
}

/// Whether a residual is added that is loaded, tile by tile.
bool Gather::loads_residual() const { return plan().layer.shape.residual && !plan().residual.on_chip; }

void Gather::run() {
  for (;;) {
    tiles->wait_valid();
    const bool waits = loads_residual();
    if (waits) {
      residuals->wait_there();
    }
    if (device_.is_stopped()) {
      halt();
    }
    if (waits) {
      residuals->take();
    }
    const Tile tile = tiles->front();
    wait_until(clock_, clock_.now() + 1);
    if (plan().layer.shape.mean) {
      take_means(tile);
    }
    find_runs(tile);
    for (size_t i = 0; i < runs_.size(); ++i) {
      gather_run(tile, runs_[i], i + 1 != runs_.size() && runs_[i + 1].joins);
    }
  }
}

/// In the order of filters and rows.
void Gather::find_runs(const Tile& tile) {
  const LayerPlan& of = plan();
  const bool has_means = of.layer.shape.mean;
  const bool is_one = dla_is_one_run(&of.layer.shape, &of.passes, tile.rows);
  const uint32_t plane = tile.rows * tile.cols, rows = has_means ? 1 : tile.rows, cols = has_means ? 1 : tile.cols;
  const uint32_t mean_words = has_means ? dla_gather_words(&of.machine, tile.cols, plane) : 0;
  const uint8_t* data = has_means ? means_.data() : tile.bytes->data();
  const uint32_t filters = is_one ? tile.filters : 1, end = tile.row + rows;
  runs_.clear();
  for (uint32_t filter = 0; filter < tile.filters; filter += filters) {
    for (uint32_t row = tile.row, count; row < end; row += count) {
      count = dla_rows_before_wrap(&of.ofmap, row, end);
      const uint32_t bytes = filters * count * cols;
      const bool ends_tile = filter + filters == tile.filters && row + count == end;
      const uint32_t addr = dla_row_addr(&of.ofmap, tile.filter + filter, row);
      const bool joins =
          !runs_.empty() && rests(runs_.back()) && !dla_first_word_ends_beat(&of.machine, tile.cols, addr, bytes);
      runs_.push_back({tile.filter + filter, row, addr, bytes, tile.cols, data, ends_tile, mean_words, joins});
      data += bytes;
    }
  }
}

void Gather::take_means(const Tile& tile) {
  const dla_quant& quant = plan().layer.quant;
  const uint8_t* outputs = tile.bytes->data();
  means_.clear();
  for (uint32_t filter = 0; filter < tile.filters; ++filter, outputs += tile.rows * tile.cols) {
    const int32_t sum = std::accumulate(outputs, outputs + tile.rows * tile.cols, int32_t{0});
    means_.push_back(
        dla_mean_output(sum - static_cast<int32_t>(tile.rows * tile.cols) * quant.ofmap_zero_point, &quant));
  }
}

/// The GLB word with the residual that is added to the next beat: what is loaded lies in the order of the beats.
/// \param at  The beat's first byte of the run.
const uint8_t* Gather::next_residual(const Run& run, uint32_t at) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  if (plan().residual.on_chip) {
    const uint32_t addr = dla_row_addr(&plan().residual, run.filter, run.row + at / run.cols) + at % run.cols;
    return glb->bytes() + dla_glb_byte(&plan().machine, addr / bus_bytes * bus_bytes);
  }
  const uint32_t tile_word = residual_tile_ * plan().passes.residual_tile_bytes / bus_bytes;
  return glb->bytes() + size_t{plan().residual_base_word + tile_word + residual_word_++} * bus_bytes;
}

/// Each byte of the residual lies in its beat where the byte does that it is added to.
void Gather::add_residual(WriteBurst& burst, const Run& run, uint32_t done) {
  const uint32_t bus_bytes = plan().machine.bus_bytes, offset = burst.addr % bus_bytes;
  const uint8_t* residual = nullptr;
  for (uint32_t i = 0; i < burst.bytes; ++i) {
    const uint32_t lane = (offset + i) % bus_bytes;
    residual = i == 0 || lane == 0 ? next_residual(run, done + i) : residual;
    burst.data[offset + i] = dla_add_residual(burst.data[offset + i], residual[lane], &plan().layer.quant);
  }
}

/// After the last word of a tile.
void Gather::end_residual() {
  residual_tile_ = residual_tile_ + 1 == kDlaResiduals ? 0 : residual_tile_ + 1;
  residual_word_ = 0;
  free_residuals->put(clock_.now() + kDlaResidualFreeCycles);
  note(clock_.now() + kDlaResidualFreeCycles - 1, TransactionKind::kResidualFree);
}

/// From its first word's cycle to the cycle after its last. \param is_joined  To its last, as the next run begins
/// there.
void Gather::gather_run(const Tile& tile, Run& run, bool is_joined) {
  const dla_machine& machine = plan().machine;
  const bool has_means = plan().layer.shape.mean, adds = plan().layer.shape.residual;
  run.words = words_until(run, run.bytes);
  for (uint32_t done = 0; done < run.bytes;) {
    const uint32_t addr = run.addr + done;
    const uint32_t room = WriteBurst::kMaxBeats * machine.bus_bytes - addr % machine.bus_bytes;
    WriteBurst burst;
    burst.addr = addr;
    burst.bytes = std::min({run.bytes - done, room, kDlaBurstBoundaryBytes - addr % kDlaBurstBoundaryBytes});
    std::memcpy(burst.data.data() + addr % machine.bus_bytes, run.data, burst.bytes);
    run.data += burst.bytes;
    if (adds) {
      add_residual(burst, run, done);
    }
    done += burst.bytes;
    const bool run_ends = done == run.bytes;
    burst.last = tile.last && run_ends && run.ends_tile;
    const uint32_t words = words_until(run, done) - run.read;
    read_words(run, words);
    if (words != 0 && run.read == run.words && run.ends_tile) {
      // The next tile may take the place of this one, of whose last word another burst may have the rest.
      rest_.assign(run.data, run.data + (run.bytes - done));
      run.data = rest_.data();
      tiles->pop();
      free_tiles->put(clock_.now() + 1);
      note(clock_.now(), TransactionKind::kTileFree);
    }
    if (run_ends && rests(run)) {
      wait_until(clock_, clock_.now() + (words == 0 ? 0 : 1));
      join_rest();
    }
    if (run_ends && run.ends_tile && loads_residual()) {
      end_residual();
    }
    bursts->push_at(burst, clock_.now() + kDlaBurstSeenCycles +
                               (adds        ? kDlaSumCycles
                                : has_means ? kDlaMeanCycles
                                            : 0));
    wait_until(clock_, clock_.now() + (run_ends && is_joined ? 0 : 1));
  }
}

/// Words in which the first `bytes` bytes of a run lie, or the outputs whose means they are.
uint32_t Gather::words_until(const Run& run, uint32_t bytes) const {
  return run.mean_words != 0 ? bytes * run.mean_words : dla_gather_words(&plan().machine, run.cols, bytes);
}

/// Whether its last word lies in two beats.
bool Gather::rests(const Run& run) const {
  return run.mean_words == 0 && dla_run_rests(&plan().machine, run.cols, run.addr + run.bytes);
}

/// Beats that the first `words` words of a run complete.
uint32_t Gather::beats_until(const Run& run, uint32_t words) const {
  const dla_machine& machine = plan().machine;
  const uint32_t row_words = dla_ceil_div(run.cols, machine.bus_bytes);
  const uint32_t offset = run.addr % machine.bus_bytes;
  if (run.mean_words != 0) {
    return words == run.words ? beats_of(run.addr, run.bytes, machine.bus_bytes)
                              : (offset + words / run.mean_words) / machine.bus_bytes;
  }
  if (words == run.words) {
    return beats_of(run.addr, run.bytes, machine.bus_bytes) - (rests(run) ? 1 : 0);
  }
  return (offset + words / row_words * run.cols + words % row_words * machine.bus_bytes) / machine.bus_bytes;
}

void Gather::note_read(Run& run, uint32_t words) {
  const uint32_t beats = beats_until(run, run.read + words) - beats_until(run, run.read);
  for (uint32_t i = 0; i < words && plan().layer.shape.residual; ++i) {
    if (beats_until(run, run.read + i + 1) != beats_until(run, run.read + i)) {
      note_beat(clock_.now() + i + 1 - words);
    }
  }
  run.read += words;
  words_ += words;
  beats_ += beats;
  beat_read_in_ = beats == 0 ? beat_read_in_ : clock_.now();
}

void Gather::note_beat(Cycle cycle) {
  constexpr size_t kKept = 4;
  recent_beats_.push_back(cycle);
  if (recent_beats_.size() > kKept) {
    recent_beats_.pop_front();
  }
}

/// Beats of a residual that were read before `cycle`: each the cycle after the last word of the beat that it is added
/// to.
uint64_t Gather::residual_reads(Cycle cycle) const {
  const Cycle end = std::min(cycle - 1, device_.stop_from);
  uint64_t beats = beats_;
  for (const Cycle read : recent_beats_) {
    beats -= read >= end ? 1 : 0;
  }
  if (ahead_ != 0 && end > from_) {
    const auto words = static_cast<uint32_t>(std::min<Cycle>(ahead_, end - from_));
    beats += beats_until(*ahead_of_, ahead_of_->read + words) - beats_until(*ahead_of_, ahead_of_->read);
  }
  return beats;
}

/// To the cycle of the last of them.
void Gather::read_words(Run& run, uint32_t words) {
  if (words == 0) {
    return;
  }
  const uint64_t queued = beats_ - sent->beats_before(clock_.now());
  const uint32_t beats = beats_until(run, run.read + words) - beats_until(run, run.read);
  if (queued + beats <= kReadableLevel) {
    read_ahead(run, words);
    return;
  }
  for (uint32_t i = 0; i < words; ++i) {
    wait_until(clock_, clock_.now() + (i == 0 ? 0 : 1));
    if (run.read != 0 || !run.joins) {
      wait_for_room();
    }
    note_read(run, 1);
  }
}

/// The same where there is room for all of them.
void Gather::read_ahead(Run& run, uint32_t words) {
  ahead_ = words;
  ahead_of_ = &run;
  from_ = clock_.now();
  wait_until(clock_, from_ + words - 1);
  if (device_.is_stopped()) {
    halt();
  }
  ahead_ = 0;
  note_read(run, words);
}

/// The beat that the last word of a run has begun, in this cycle or as soon as there is room.
void Gather::join_rest() {
  wait_for_room();
  ++beats_;
  beat_read_in_ = clock_.now();
  note_beat(clock_.now());
}

void Gather::wait_for_room() {
  while (!has_room()) {
    wait_until(clock_, clock_.now() + 1);
  }
  if (device_.is_stopped()) {
    halt();
  }
}

/// Whether a word may be read in this cycle. A beat joins the queue the cycle after its last word is read.
bool Gather::has_room() const {
  const Cycle now = clock_.now();
  const uint64_t joined = beats_ - (beat_read_in_ + 1 == now ? 1 : 0);
  return joined - sent->beats_before(now) <= kReadableLevel;
}

void Gather::count(Cycle cycle, dla_counters& counters) const {
  const Cycle end = std::min(cycle, device_.stop_from);
  const uint64_t ahead = end <= from_ ? 0 : std::min<uint64_t>(ahead_, end - from_);
  counters.glb_read_words += static_cast<uint32_t>(words_ + ahead);
  if (plan().layer.shape.residual) {
    counters.glb_read_words += static_cast<uint32_t>(residual_reads(cycle));
  }
}

}  // namespace fovea
