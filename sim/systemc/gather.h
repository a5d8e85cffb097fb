// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers the bytes of finished output tiles, run by run, into write bursts.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "burst_sender.h"
#include "glb.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// A tile that post-processing has finished.
struct Tile {
  bool last;             ///< Of the layer.
  uint32_t filter, row;  ///< Its first ones of the ofmap.
  uint32_t filters, rows, cols;
  const std::vector<uint8_t>* bytes;  ///< [filters][rows][cols].
};

/// Gathers a tile: a cycle to take it, then a cycle for each GLB word of its rows; none while the beat queue is full.
/// Where the last word of a run lies in two beats, the second joins the queue beside the first word of the next run, or
/// if that ends a beat itself, or there is none, in a cycle of its own. A run is the rows of a filter up to where they
/// go on at a plane's begin. Runs are one where they follow each other in memory. Where a residual is added, a tile is
/// taken once that is in the GLB, and its bursts come kDlaSumCycles later. Where means are taken, a run has a byte a
/// filter, whose words are all of its outputs, and its bursts come kDlaMeanCycles later.
class Gather : public Unit {
 public:
  /// Beats that the queue between gathering and sending holds.
  static constexpr uint32_t kQueueBeats = 2 * WriteBurst::kMaxBeats;

  using Unit::Unit;

  sc_core::sc_port<StreamIn<Tile>> tiles{"tiles"};
  sc_core::sc_port<StreamOut<WriteBurst>> bursts{"bursts"};
  sc_core::sc_port<TokensOut> free_tiles{"free_tiles"};
  sc_core::sc_port<SentBeats> sent{"sent"};
  sc_core::sc_port<TokensIn> residuals{"residuals"};
  sc_core::sc_port<TokensOut> free_residuals{"free_residuals"};
  sc_core::sc_port<GlbRead> glb{"glb"};

  void trace(sc_core::sc_trace_file* waves) const override;
  void count(Cycle cycle, dla_counters& counters) const override;

 protected:
  void run() override;
  void clear() override;

 private:
  /// Bytes that follow each other in memory.
  struct Run {
    uint32_t filter, row;  ///< The first ones of the ofmap.
    uint32_t addr, bytes, cols;
    const uint8_t* data;
    bool ends_tile;
    uint32_t mean_words;           ///< In which the outputs lie whose mean a byte is; else 0.
    bool joins;                    ///< Its first word is read in the cycle in which the run before ends.
    uint32_t words = 0, read = 0;  ///< GLB words that they lie in, and those that have been read.
  };

  /// A word is read while no more beats than this are queued: two may be on their way.
  static constexpr uint64_t kReadableLevel = kQueueBeats - 2;

  bool loads_residual() const;
  void find_runs(const Tile& tile);
  void gather_run(const Tile& tile, Run& run, bool is_joined);
  void read_words(Run& run, uint32_t words);
  void read_ahead(Run& run, uint32_t words);
  void join_rest();
  void wait_for_room();
  void note_read(Run& run, uint32_t words);
  bool rests(const Run& run) const;
  uint32_t beats_until(const Run& run, uint32_t words) const;
  uint32_t words_until(const Run& run, uint32_t bytes) const;
  void take_means(const Tile& tile);
  void add_residual(WriteBurst& burst, const Run& run, uint32_t done);
  const uint8_t* next_residual(const Run& run, uint32_t at);
  void end_residual();
  void note_beat(Cycle cycle);
  uint64_t residual_reads(Cycle cycle) const;
  bool has_room() const;

  uint64_t words_ = 0;           ///< Read.
  uint64_t beats_ = 0;           ///< That these complete.
  Cycle beat_read_in_ = kNever;  ///< The cycle that read the last word of the last beat.
  uint32_t ahead_ = 0;           ///< Words that are read from cycle from_ on without a check.
  Cycle from_ = 0;
  const Run* ahead_of_ = nullptr;   ///< Of which run.
  std::deque<Cycle> recent_beats_;  ///< The cycles that read the last words of the last few beats.
  uint32_t residual_tile_ = 0;      ///< Buffer of the residual of the tile under way,
  uint32_t residual_word_ = 0;      ///< and of its next beat.
  std::vector<Run> runs_;           ///< Of the tile under way.
  std::vector<uint8_t> means_;      ///< Likewise.
  std::vector<uint8_t> rest_;       ///< Of a tile that has gone, what its next burst takes.
};

}  // namespace fovea
