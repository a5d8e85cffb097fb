// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the loop nest of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
#include "sequencer.h"

#include <algorithm>

namespace fovea {

namespace {

// Cycles of the steps that dla_sequencer takes at each level of the nest before it goes on to the next.
constexpr Cycle kRowTileCycles = 3;
constexpr Cycle kFilterTileCycles = 1;
constexpr Cycle kChunkCycles = 1;  ///< And one more than the channel sets it counts.
constexpr Cycle kFoldCycles = 1;
constexpr Cycle kGroupCycles = 3;  ///< And one more than the filter sets it counts.
constexpr Cycle kStripCycles = 6;

/// Psums are readable this many cycles after they left the last PE.
constexpr uint32_t kPsumWriteCycles = 3;

uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

}  // namespace

void Sequencer::pass_spent() {
  wait_until(clock_, clock_.now() + spent_);
  spent_ = 0;
}

void Sequencer::push_load(const LoadJob& job) {
  pass_spent();
  loads_.wait_room();
  loads_.push(job);
  note(clock_.now(), TransactionKind::kLoadQueued);
  spend(1);
}

void Sequencer::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, at_.row0, "row0");
  trace_as(waves, at_.m0, "m0");
  trace_as(waves, at_.c0, "c0");
  trace_as(waves, at_.fold_row0, "fold_row0");
  trace_as(waves, at_.group0, "group0");
  trace_as(waves, at_.strip0, "strip0");
}

void Sequencer::run() {
  spent_ = 0;
  sc_core::wait(started_);
  Loops& at = at_;
  at = {};
  for (at.row0 = 0; at.row0 < plan().passes.E; at.row0 += plan().layer.mapping.e_glb) {
    walk_row_tile(at);
  }
  halt();
}

void Sequencer::walk_row_tile(Loops& at) {
  const dla_layer& layer = plan().layer;
  const dla_shape& s = layer.shape;
  spend(kRowTileCycles);
  at.rows = std::min(layer.mapping.e_glb, plan().passes.E - at.row0);
  at.filter_addr = layer.filter_addr;
  // At least one row, even where all of them are padding.
  const auto clip = [&](uint32_t padded_row) {
    return static_cast<uint32_t>(std::clamp<int32_t>(static_cast<int32_t>(padded_row) - static_cast<int32_t>(s.PAD), 0,
                                                     static_cast<int32_t>(s.H) - 1));
  };
  at.top = clip(at.row0 * s.U);
  at.run_bytes = (clip((at.row0 + at.rows - 1) * s.U + s.R - 1) - at.top + 1) * s.W;
  for (at.m0 = 0; at.m0 < s.M; at.m0 += layer.mapping.m) {
    walk_filter_tile(at);
  }
}

void Sequencer::walk_filter_tile(Loops& at) {
  const dla_layer& layer = plan().layer;
  spend(kFilterTileCycles);
  at.filters = std::min(layer.mapping.m, layer.shape.M - at.m0);
  at.loads_ifmap = !layer.mapping.ifmap_resident || at.m0 == 0;
  for (at.c0 = 0; at.c0 < layer.shape.C; at.c0 += plan().chunk_channels) {
    walk_chunk(at);
    at.chunk = at.chunk + 1 == plan().passes.ifmap_buffers ? 0 : at.chunk + 1;
  }
}

uint32_t Sequencer::chunk_addr(const Loops& at) const {
  return plan().layer.ifmap_addr + at.c0 * plan().ifmap_plane + at.top * plan().layer.shape.W;
}

void Sequencer::walk_chunk(Loops& at) {
  const dla_layer& layer = plan().layer;
  const bool resident = layer.mapping.ifmap_resident;
  at.channels = std::min(plan().chunk_channels, layer.shape.C - at.c0);
  Pass pass;
  pass.channels = at.channels;
  pass.r = ceil_div(at.channels, layer.mapping.q);
  pass.q = std::min(at.channels, layer.mapping.q);
  pass.new_ifmap = at.loads_ifmap;
  pass.ifmap_word = at.chunk * plan().ifmap_buffer_words;
  pass.ifmap_channel = resident ? at.c0 : 0;
  pass.ifmap_align = (resident ? layer.ifmap_addr + at.top * layer.shape.W : chunk_addr(at)) % plan().machine.bus_bytes;
  pass.top = static_cast<int32_t>(at.top);
  spend(kChunkCycles + pass.r + 1);
  if (at.loads_ifmap) {
    push_load({false, chunk_addr(at), at.run_bytes, at.channels, pass.ifmap_channel, pass.ifmap_word});
    ++at.loads;
  }
  pass.ifmap_load = resident ? at.row0 : at.loads;
  for (at.fold_row0 = 0; at.fold_row0 < layer.shape.R; at.fold_row0 += plan().passes.fold_rows) {
    walk_fold(at, pass);
    pass.new_ifmap = false;
  }
}

void Sequencer::walk_fold(Loops& at, Pass pass) {
  const dla_shape& s = plan().layer.shape;
  spend(kFoldCycles);
  pass.fold_row0 = at.fold_row0;
  pass.rows = std::min(plan().passes.fold_rows, s.R - at.fold_row0);
  pass.first_k = at.c0 == 0 && at.fold_row0 == 0;
  pass.last_k = at.c0 + plan().chunk_channels >= s.C && at.fold_row0 + plan().passes.fold_rows >= s.R;
  pass.qs = pass.q * s.S;
  at.block = 0;
  for (at.group0 = 0; at.group0 < at.filters; at.group0 += plan().pass_filters) {
    walk_group(at, pass);
    pass.new_ifmap = false;
  }
}

void Sequencer::walk_group(Loops& at, Pass pass) {
  const dla_mapping& m = plan().layer.mapping;
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  pass.filters = std::min(plan().pass_filters, at.filters - at.group0);
  pass.t = ceil_div(pass.filters, m.p);
  pass.p = std::min(pass.filters, m.p);
  pass.new_filter = true;
  const FilterSet set = {pass.first_k ? ceil_div(pass.filters, plan().lanes) : 0,
                         pass.t * pass.r * pass.rows * ceil_div(pass.p * pass.qs, bus_bytes)};
  spend(kGroupCycles + pass.t + 1);
  push_load({true, at.filter_addr, set.words() * bus_bytes, 1, 0, at.filter_buffer * plan().filter_buffer_words});
  at.filter_addr += set.words() * bus_bytes;
  at.filter_buffer = at.filter_buffer + 1 == m.filter_buffers ? 0 : at.filter_buffer + 1;
  for (at.strip0 = 0; at.strip0 < at.rows; at.strip0 += m.e) {
    push_strip(at, pass, set);
    pass.new_filter = pass.new_ifmap = false;
    ++at.block;
  }
}

void Sequencer::set_lengths(Pass& pass) const {
  const dla_shape& s = plan().layer.shape;
  pass.slot_psums = pass.e * pass.t;
  pass.slot_words = ceil_div(pass.slot_psums, plan().lanes);
  pass.slot_cycles = std::max(pass.qs, pass.slot_words);
  pass.compute_cycles = pass.p * pass.slot_cycles;
  const uint32_t ifmap_rows = (pass.e - 1) * std::min(pass.rows, s.U) + pass.rows;
  const uint32_t column_words = ifmap_rows * ceil_div(pass.q, 4) * pass.r;
  pass.step_words = column_words * plan().new_cols;
  pass.fill_words = column_words * s.S;
  const uint64_t cover_cycles = (uint64_t{plan().passes.F} * pass.p - 1) * pass.slot_cycles;
  pass.wait_psum = !pass.first_k && cover_cycles < plan().segment_rows + kPsumWriteCycles;
}

void Sequencer::push_strip(const Loops& at, Pass& pass, const FilterSet& set) {
  const dla_layer& layer = plan().layer;
  const dla_shape& s = layer.shape;
  spend(kStripCycles);
  pass.e = std::min(layer.mapping.e, at.rows - at.strip0);
  set_lengths(pass);
  const uint32_t row = at.row0 + at.strip0;
  pass.y = static_cast<int32_t>(row * s.U + at.fold_row0) - static_cast<int32_t>(s.PAD);
  pass.psum_block = at.block;
  pass.ofmap_addr =
      layer.ofmap_addr + (at.m0 + at.group0) * plan().ofmap_plane + (s.pool ? row / 2 : row) * plan().passes.ofmap_cols;
  const bool last_filter_tile = at.m0 + layer.mapping.m >= s.M;
  const bool chunk_done = at.strip0 + layer.mapping.e >= at.rows && at.group0 + plan().pass_filters >= at.filters &&
                          at.fold_row0 + plan().passes.fold_rows >= s.R;
  pass.release_ifmap = chunk_done && (!layer.mapping.ifmap_resident || last_filter_tile);
  pass.last = chunk_done && pass.last_k && last_filter_tile && at.row0 + layer.mapping.e_glb >= plan().passes.E;
  // A pass and its filter set leave together.
  pass_spent();
  while (!passes_.has_room() || (pass.new_filter && !filters_.has_room())) {
    passes_.has_room() ? filters_.wait_room() : passes_.wait_room();
  }
  if (pass.new_filter) {
    filters_.push(set);
  }
  passes_.push(pass);
  note(clock_.now(), TransactionKind::kPassQueued);
  spend(1);
}

}  // namespace fovea
