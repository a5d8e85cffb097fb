// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every length, latency and margin of docs/timing.md, once, in the letters of that page.
///
/// A cycle T is the one in which the array control decides a product, D the height of a segment in PEs
/// (dla_passes::segment_rows). Tests: dla_timing_test.cpp against the page's tables; testbench/layers,
/// testbench/timing and testbench/lockstep against both simulators.
#pragma once

#include <stdint.h>

#include "dla_layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cycles that no layer changes, and how many of a thing there are.
enum {
  // Inside a pass.
  kDlaFeedCycles = 1,           ///< A feed that starts in a cycle reads its first word so many later.
  kDlaPsumReadCycles = 4,       ///< A slot that starts in T: its first psum word is read in T + 4.
  kDlaPsumWriteCycles = 7,      ///< A slot that ends in T: its first psum word is written in T + 7 + D, readable after.
  kDlaOutputCycles = 8,         ///< A slot that ends in T: its first activation is written in T + 8 + D,
  kDlaScaledOutputCycles = 13,  ///< ... of a scaled layer in T + 13 + D,
  kDlaLookupCycles = 2,         ///< ... and so much later where a table replaces it.

  // Starting a pass.
  kDlaMinPassCycles = 8,  ///< From a start to the next.
  /// Psums are written so much later, beside D, than a slot that starts when theirs ends reads: what the slots
  /// between must cover.
  kDlaPsumMarginCycles = kDlaPsumWriteCycles - kDlaPsumReadCycles,

  // The sequencer, a cycle a step.
  kDlaRowTileSteps = 3,
  kDlaFilterTileSteps = 1,
  kDlaChunkSteps = 2,  ///< And r'.
  kDlaFoldSteps = 1,
  kDlaGroupSteps = 4,  ///< And t'.
  kDlaStripSteps = 6,
  kDlaPushSteps = 1,     ///< Of a load or a pass, once its queue has room.
  kDlaQueueEntries = 4,  ///< Loads, filter sets, and passes that it may be ahead.

  // Filters and outputs.
  kDlaFilterHalves = 2,        ///< Filter sets that the PEs hold.
  kDlaOutputTiles = 2,         ///< Output tiles that the GLB holds.
  kDlaBurstSeenCycles = 2,     ///< From the last word of a write burst until the sender sees it,
  kDlaSumCycles = 14,          ///< ... and so many more where a residual is added to it,
  kDlaMeanCycles = 9,          ///< ... or where its bytes are means.
  kDlaResiduals = 2,           ///< Tiles of a residual that the GLB holds.
  kDlaResidualFreeCycles = 2,  ///< From the last word of a tile until the buffer of its residual is seen to be free.

  // Loads and stores.
  kDlaLoadJobCycles = 1,
  kDlaLoadRunCycles = 1,
  kDlaLoadedCycles = 2,  ///< From the last beat of a chunk until its token is seen.
  kDlaReadBurstBeats = 64,
  kDlaWriteBurstBeats = 16,
  kDlaBurstBoundaryBytes = 4096,

  // A layer.
  kDlaSetupProducts = 29,
  kDlaProductCycles = 3,
  kDlaVerdictCycles = 4,  ///< The last product, the checks, the first that fails, the answer.
  kDlaSetupCycles = kDlaSetupProducts * kDlaProductCycles + kDlaVerdictCycles,
  kDlaStartCycles = 3,        ///< Beside a cycle for each row or column, whichever are more.
  kDlaPlacedStartCycles = 2,  ///< Where the array has learnt its places before, in a list.
};

/// What of its mapping a pass uses: the letters that docs/timing.md gives a prime. A remainder uses less.
struct dla_extent {
  uint32_t filters;    ///< That exist, up to p * t of the mapping.
  uint32_t channels;   ///< That exist, up to q * r.
  uint32_t t, p;       ///< PE sets on them, and filters of each: t * p may be more than exist.
  uint32_t r, q;       ///< The same for channels.
  uint32_t rows;       ///< Filter rows, up to fold_rows.
  uint32_t e;          ///< Output rows.
  uint32_t C;          ///< Channels of a group, where PEs hold whole ones and each PE set its own; else 0.
  uint32_t fold_rows;  ///< The mapping's letter.
};

/// Lengths of a pass, in docs/timing.md's words.
struct dla_lengths {
  uint32_t products;       ///< q S, or C S of a group: cycles in which a slot multiplies.
  uint32_t slot_words;     ///< ceil(e t / lanes): psum words of a slot on each psum network.
  uint32_t slot_cycles;    ///< max(products, slot_words).
  uint32_t column_cycles;  ///< p slot: an output column, where no ifmap words make it longer.
  uint32_t step_words;     ///< Ifmap words, a cycle each, for the next output column.
  uint32_t fill_words;     ///< Ifmap words for the first output column.
};

/// A filter set: its chunk of the filter stream, and the words of the filter network, a cycle each, that move it from
/// the GLB to the PEs.
struct dla_filter_set {
  uint32_t bias_bytes;   ///< Of the chunk, padding included. None where the set is not the first of its filters.
  uint32_t scale_bytes;  ///< The same of scales. None where it is not the last, or filters have none.
  uint32_t weight_bytes;
  uint32_t bias_words;  ///< Of the network.
  uint32_t scale_words;
  uint32_t weight_words;
  uint32_t pe_bytes, pe_words;  ///< Of one PE's weights.
  // In a schedule.
  uint32_t glb_word;  ///< Where its chunk lies in the filter region.
  bool new_chunk;     ///< Which is loaded for it: it has not stayed there.
  bool stays;         ///< Its buffer keeps the chunk.
};

static inline uint32_t dla_min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t dla_max(uint32_t a, uint32_t b) { return a < b ? b : a; }
static inline uint32_t dla_ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// Puts `filters` filters on as few PE sets as hold them; a lone set is no wider than what it has.
static inline void dla_use_filters(const struct dla_mapping* mapping, uint32_t filters, struct dla_extent* extent) {
  extent->filters = filters;
  extent->t = dla_ceil_div(filters, mapping->p);
  extent->p = dla_min(filters, mapping->p);
}

/// The same for channels. Where PEs hold whole groups, the sets on filters are those on channels.
static inline void dla_use_channels(const struct dla_mapping* mapping, uint32_t channels, struct dla_extent* extent) {
  extent->channels = channels;
  extent->C = mapping->g == 0 ? 0 : mapping->q / mapping->g;
  extent->r = mapping->g == 0 ? dla_ceil_div(channels, mapping->q) : 1;
  extent->q = dla_min(channels, mapping->q);
}

/// \param channels  Not looked at where PEs hold whole groups: those of the filters.
static inline struct dla_extent dla_extent_of(const struct dla_mapping* mapping, uint32_t filters, uint32_t channels,
                                              uint32_t rows, uint32_t e) {
  struct dla_extent extent;
  dla_use_filters(mapping, filters, &extent);
  dla_use_channels(mapping, mapping->g == 0 ? channels : filters * mapping->q / mapping->p, &extent);
  extent.rows = rows;
  extent.e = e;
  extent.fold_rows = mapping->fold_rows;
  return extent;
}

/// Ifmap columns that an output column adds.
static inline uint32_t dla_new_cols(const struct dla_shape* shape) { return dla_min(shape->S, shape->V); }

/// Ifmap columns of a first window that are brought: those left of the ifmap are not, but for the last of the window.
static inline uint32_t dla_window_cols(const struct dla_shape* shape) {
  return shape->S > shape->pad_left ? shape->S - shape->pad_left : 1;
}

/// Steps at the end of a pass that bring no ifmap columns: the last, and those before it whose next column lies right
/// of the ifmap. The next pass's window may be brought in them. \param F  Steps of a pass.
static inline uint32_t dla_tail_steps(const struct dla_shape* shape, uint32_t F) {
  const uint32_t held = shape->S - dla_new_cols(shape), end = shape->pad_left + shape->W;
  return F - dla_min(F - 1, end > held ? (end - held - 1) / shape->V : 0);
}

/// Ifmap rows that e output rows take from `rows` filter rows, those that they share once.
static inline uint32_t dla_window_rows(const struct dla_shape* shape, uint32_t rows, uint32_t e) {
  return (e - 1) * dla_min(rows, shape->U) + rows;
}

/// Ifmap words for the channels of a pixel. Sets beside each other that have channels of their own get words of their
/// own.
static inline uint32_t dla_pixel_words(const struct dla_machine* machine, const struct dla_shape* shape,
                                       const struct dla_extent* extent) {
  const uint32_t bytes = machine->ifmap_bytes_per_cycle;
  if (extent->C == 0) {
    return dla_ceil_div(extent->q * extent->r, bytes);
  }
  const uint32_t high = machine->rows / dla_fold_rows(machine, shape, extent->fold_rows);
  return extent->t / high * dla_ceil_div(extent->q * high, bytes) + dla_ceil_div(extent->t % high * extent->q, bytes);
}

static inline struct dla_lengths dla_pass_lengths(const struct dla_machine* machine, const struct dla_shape* shape,
                                                  const struct dla_extent* extent) {
  struct dla_lengths lengths;
  lengths.products = (extent->C == 0 ? extent->q : extent->C) * shape->S;
  lengths.slot_words = dla_ceil_div(extent->e * extent->t, machine->psum_lanes);
  lengths.slot_cycles = dla_max(lengths.products, lengths.slot_words);
  lengths.column_cycles = extent->p * lengths.slot_cycles;
  const uint32_t column_words =
      dla_window_rows(shape, extent->rows, extent->e) * dla_pixel_words(machine, shape, extent);
  lengths.step_words = column_words * dla_new_cols(shape);
  lengths.fill_words = column_words * dla_window_cols(shape);
  return lengths;
}

/// \param first, last  The set is so of its filters.
static inline struct dla_filter_set dla_filter_set_of(const struct dla_machine* machine, const struct dla_shape* shape,
                                                      const struct dla_extent* extent, bool first, bool last) {
  struct dla_filter_set set;
  const uint32_t network_bytes = machine->filter_bytes_per_cycle, word_bytes = dla_filter_word_bytes(machine);
  const uint32_t weights = extent->p * (extent->C == 0 ? extent->q : extent->C) * shape->S;
  const uint32_t biases = first ? 4 * extent->filters : 0;
  const uint32_t scales = last && shape->filter_scales ? 4 * extent->filters : 0;
  const uint32_t pes = extent->t * extent->r * extent->rows;
  set.pe_bytes = dla_ceil_div(weights, word_bytes) * word_bytes;
  set.pe_words = dla_ceil_div(weights, network_bytes);
  set.bias_bytes = dla_ceil_div(biases, word_bytes) * word_bytes;
  set.scale_bytes = dla_ceil_div(scales, word_bytes) * word_bytes;
  set.weight_bytes = pes * set.pe_bytes;
  set.bias_words = dla_ceil_div(biases, network_bytes);
  set.scale_words = dla_ceil_div(scales, network_bytes);
  set.weight_words = pes * set.pe_words;
  set.glb_word = 0;
  set.new_chunk = true;
  set.stays = false;
  return set;
}

/// Cycles that a set takes from the GLB to the PEs.
static inline uint32_t dla_set_words(const struct dla_filter_set* set) {
  return set->bias_words + set->scale_words + set->weight_words;
}

/// Bytes of a set's chunk of the filter stream.
static inline uint32_t dla_set_bytes(const struct dla_filter_set* set) {
  return set->bias_bytes + set->scale_bytes + set->weight_bytes;
}

/// Cycles of an output column that is not of the tail.
static inline uint32_t dla_step_cycles(const struct dla_lengths* pass) {
  return dla_max(pass->column_cycles, pass->step_words);
}

/// Cycles before step number `step` of a pass. \param F, tail  Its steps, and those of the tail.
static inline uint64_t dla_step_start(const struct dla_lengths* pass, uint32_t F, uint32_t tail, uint32_t step) {
  const uint32_t longer = dla_min(step, F - tail);
  return (uint64_t)longer * dla_step_cycles(pass) + (uint64_t)(step - longer) * pass->column_cycles;
}

/// Cycles of the tail. \param next_fill_words  Of the next pass, if its window is brought from the tail's beginning on;
/// else 0.
static inline uint32_t dla_tail_cycles(const struct dla_lengths* pass, uint32_t tail, uint32_t next_fill_words) {
  return dla_max(tail * pass->column_cycles, next_fill_words);
}

/// From the cycle that asks for a first window while the array does nothing else to the one in which its pass may
/// start.
static inline uint32_t dla_window_cycles(const struct dla_lengths* pass) { return pass->fill_words + kDlaFeedCycles; }

/// Whether a pass of these lengths lasts so long that another may read the psums of the pass before it, or its own, at
/// once. \param p  Of its extent.
static inline bool dla_covers_psums(const struct dla_passes* passes, const struct dla_lengths* pass, uint32_t p) {
  return ((uint64_t)passes->F * p - 1) * pass->slot_cycles >= passes->segment_rows + kDlaPsumMarginCycles;
}

/// From the last product of a pass to the start of one that reads psums which are not covered.
static inline uint32_t dla_drain_cycles(const struct dla_passes* passes, const struct dla_lengths* pass) {
  return pass->slot_words + passes->segment_rows + kDlaPsumMarginCycles - 1;
}

/// From the start of a pass that ends in the output to its first psum in post-processing.
static inline uint32_t dla_first_psum_cycles(const struct dla_passes* passes, const struct dla_lengths* pass) {
  return pass->slot_cycles + passes->segment_rows + kDlaPsumWriteCycles;
}

/// From the last product of a pass that ends in the output until the store sees its tile.
static inline uint32_t dla_tile_cycles(const struct dla_passes* passes, const struct dla_lengths* pass) {
  return pass->slot_words + passes->segment_rows + passes->output_cycles;
}

/// Words of the GLB that hold the first `bytes` bytes of a run of an output tile, a row beginning with a word of its
/// own: the cycles in which they are gathered. \param cols  Bytes of a row.
static inline uint32_t dla_gather_words(const struct dla_machine* machine, uint32_t cols, uint32_t bytes) {
  return bytes / cols * dla_ceil_div(cols, machine->bus_bytes) + dla_ceil_div(bytes % cols, machine->bus_bytes);
}

/// Whether the last word of a run lies in two beats. The second leaves a cycle later, beside the first word of the next
/// run; that one comes a cycle later if it ends a beat itself. \param end  The address behind the run.
static inline bool dla_run_rests(const struct dla_machine* machine, uint32_t cols, uint32_t end) {
  const uint32_t last_word = (cols - 1) % machine->bus_bytes + 1;
  const uint32_t last_beat = (end - 1) % machine->bus_bytes + 1;
  return last_word > last_beat;
}

/// Whether the first word of a run is the last of a beat. \param bytes  Of the run.
static inline bool dla_first_word_ends_beat(const struct dla_machine* machine, uint32_t cols, uint32_t addr,
                                            uint32_t bytes) {
  const uint32_t first_word = dla_min(cols, machine->bus_bytes);
  return bytes == first_word || addr % machine->bus_bytes + first_word >= machine->bus_bytes;
}

/// From the setup's answer to the sequencer's first step.
static inline uint32_t dla_start_cycles(const struct dla_machine* machine) {
  return dla_max(machine->rows, machine->cols) + kDlaStartCycles;
}

#ifdef __cplusplus
}
#endif
