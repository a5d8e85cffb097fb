// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do output tiles keep the cycles of docs/timing.md, from the first psum in post-processing to the last word gathered?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"
#include "timing/pass_clock.h"

namespace fovea {
namespace {

/// Bursts of a run from `addr` on.
uint32_t bursts_of(uint32_t addr, uint32_t bytes, uint32_t bus_bytes) {
  constexpr uint32_t kMaxBeats = 16, kBoundary = 4096;
  uint32_t bursts = 0;
  for (uint32_t end = addr + bytes; addr < end; ++bursts) {
    const uint32_t beats_end = (addr / bus_bytes + kMaxBeats) * bus_bytes;
    addr = std::min(beats_end, (addr / kBoundary + 1) * kBoundary);
  }
  return bursts;
}

/// Gathering a tile: a cycle a word, each row beginning one. A run may end in the first bytes of a beat which a word
/// before has not begun: one more for the tile's last one, and for one whose next run begins with the end of a beat.
struct Gathered {
  uint32_t cycles = 0;    ///< Up to the last word.
  uint32_t trailing = 0;  ///< The cycle behind it, if its run takes one.
  uint32_t beside = 0;    ///< Runs whose last beat leaves beside the next one's first word.
  uint32_t beats = 0, bursts = 0;
};

Gathered gather(const PaperLayer& paper, const PaperPass& pass, uint32_t bus_bytes) {
  const uint32_t cols = paper.has_means ? 1 : paper.ofmap_cols;
  const uint32_t row_words = (paper.ofmap_cols + bus_bytes - 1) / bus_bytes;
  const uint32_t words = row_words * (paper.has_means ? pass.tile_rows : 1);  // Of a row that is written.
  Gathered sum;
  for (const PaperRun& run : paper.runs_of(pass)) {
    const uint32_t rows = run.filters * run.rows, last = run.addr + rows * cols - 1;
    const uint32_t word_begins = last - (cols - 1) % bus_bytes;
    const uint32_t first = std::min(cols, bus_bytes);  // Bytes of its first word.
    const bool begins_with_end = run.addr % bus_bytes + first >= bus_bytes || rows * words == 1;
    sum.beside += begins_with_end ? 0 : sum.trailing;
    sum.cycles += (begins_with_end ? sum.trailing : 0) + rows * words;
    sum.trailing = word_begins / bus_bytes != last / bus_bytes ? 1 : 0;
    sum.beats += last / bus_bytes - run.addr / bus_bytes + 1;
    sum.bursts += bursts_of(run.addr, rows * cols, bus_bytes);
  }
  return sum;
}

/// From the last word of a tile on chip until no beat of it is queued, at most: two bursts, one of which waits for its
/// residual.
constexpr uint64_t kSentOnChipCycles = 64;

}  // namespace

/// The first psum reaches post-processing and the last completes the tile when the page says; then the tile is gathered
/// at a cycle a word, from the cycle after it is seen on.
void judge_tiles(const LayerRun& run, Tally& tally) {
  constexpr uint32_t kQueueBeats = 32;
  const dla_shape& shape = run.test.layer.shape;
  const bool adds = run.paper.loads_residual, on_chip = shape.ofmap_on_chip;
  const uint32_t D = run.paper.D;
  const PassClock clock(run.paper, run.events);
  uint64_t gatherer_free_from = 0;
  uint32_t bursts_before = 0, beats_before = 0;
  for (size_t k = 0; k < run.paper.passes.size(); ++k) {
    const PaperPass& pass = run.paper.passes[k];
    if (!pass.last_k) {
      continue;
    }
    const uint64_t first = run.at("array start", k) + 1;
    EXPECT_EQ(run.at("post start", pass.tile), first + pass.slot - 1 + 7 + D);
    const uint64_t seen =
        clock.last_product(k) + (shape.scaled ? 13 : 8) + (shape.lookup ? 2 : 0) + D + pass.slot_words;
    EXPECT_EQ(run.at("post end", pass.tile) + 1, seen);
    const Gathered tile = gather(run.paper, pass, run.machine.bus_bytes);
    const uint64_t residual = adds ? run.at("load addend", pass.tile) + 1 : 0;
    const uint64_t from = std::max({seen, gatherer_free_from, residual});
    // Later only where the queue of beats was full: not if it was empty and holds them all.
    const bool was_empty = bursts_before == 0 || (on_chip ? gatherer_free_from + kSentOnChipCycles < from
                                                          : run.at("store end", bursts_before - 1) < from);
    if ((was_empty && tile.beats < kQueueBeats - 1) || beats_before + tile.beats < kQueueBeats - 1) {
      EXPECT_EQ(run.at("store free", pass.tile), from + tile.cycles);
      tally.seen["a tile meets an empty queue"] += 1;
      tally.seen["a run ends beside the first word of the next"] += tile.beside;
      tally.seen["a tile waits for its residual alone"] += residual > seen && residual > gatherer_free_from;
      if (adds) {
        EXPECT_EQ(run.at("store addend", pass.tile), from + tile.cycles + tile.trailing + 1);
      }
    }
    // Two residuals are in the GLB at most: the next but one is loaded once its buffer has been read.
    if (adds && pass.tile >= 2) {
      EXPECT_GT(run.at("load addend", pass.tile), run.at("store addend", pass.tile - 2) + 1);
    }
    EXPECT_GE(run.at("store free", pass.tile), from + tile.cycles);
    gatherer_free_from = run.at("store free", pass.tile) + tile.trailing + 1;
    bursts_before += tile.bursts;
    beats_before += tile.beats;
  }
}

}  // namespace fovea
