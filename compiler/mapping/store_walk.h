// SPDX-License-Identifier: Apache-2.0
/// \file
/// When output tiles are gathered and written, to DRAM or to the GLB: the store's part of docs/timing.md, a burst at a
/// time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dram_walk.h"
#include "load_walk.h"
#include "spec/dla_planes.h"
#include "spec/dla_timing.h"

namespace fovea {

/// A finished tile: of each filter, rows * cols bytes.
struct FinishedTile {
  std::uint64_t seen;         ///< The cycle from which on the store sees it.
  std::uint32_t filter, row;  ///< Its first ones of the ofmap.
  std::uint32_t filters, rows, cols;
  bool is_one_run = false;       ///< Its bytes follow each other in memory.
  std::uint32_t mean_words = 0;  ///< If each filter's are one byte, their mean: the GLB words in which they lie.
};

class StoreWalk {
 public:
  /// \param dram  Outlives the walk.
  /// \param machine, layer  Likewise.
  StoreWalk(DramWalk& dram, const dla_machine& machine, const dla_layer& layer);

  void add(FinishedTile tile);

  /// A residual is loaded: a tile waits for its own, which `loads` are told when they may load over.
  void add_residuals(LoadWalk& loads) { loads_ = &loads; }

  /// When the next burst is asked for; kNever where there is none yet.
  static constexpr std::uint64_t kNever = UINT64_MAX;
  std::uint64_t asks();

  /// Sends it.
  void send();

  /// When tile number `tile` is free again; kNever where that hangs on a burst that has not been sent.
  std::uint64_t tile_free(std::uint64_t tile);

  /// The cycle of the last response so far.
  std::uint64_t answered() const { return answered_; }

 private:
  struct Burst {
    std::uint64_t ready;  ///< For the sender.
    std::uint32_t addr, beats;
  };
  /// Bytes that follow each other in memory.
  struct Run {
    std::uint32_t addr, bytes, rows;
  };
  /// A burst whose beats move: the number of its first beat among all, and when that moves.
  struct Sent {
    std::uint64_t first_number, first_beat, last_beat;
  };

  bool gather();
  Run run_of(const FinishedTile& tile) const;
  bool end_run(const FinishedTile& tile, const Run& run, std::uint64_t last_word, std::uint64_t last);
  BurstCycles request(const Burst& burst);
  std::uint32_t words_until(const FinishedTile& tile, std::uint32_t bytes) const;
  std::uint64_t read_beat(std::uint64_t beat, std::uint64_t before, std::uint32_t words) const;
  std::uint64_t sent_in(std::uint64_t beat) const;

  DramWalk& dram_;
  const dla_machine& machine_;
  const dla_layer& layer_;
  const dla_passes passes_;
  const dla_planes ofmap_;
  const std::uint32_t way_;             ///< Cycles that sums or means take.
  LoadWalk* loads_ = nullptr;           ///< Of residuals; null where none is loaded.
  std::deque<FinishedTile> tiles_;      ///< Not gathered, or not whole.
  bool is_gathering_ = false;           ///< The first of them.
  std::uint32_t filter_ = 0, row_ = 0;  ///< Of it: the run's first ones,
  std::uint32_t done_ = 0;              ///< and its bytes that are gathered.
  std::uint32_t ahead_ = 0;             ///< Words of it that were read in the last cycle of the run before.
  std::uint64_t gather_from_ = 0;       ///< The next word's cycle, at the earliest.
  std::uint64_t gathered_beats_ = 0, sent_beats_ = 0;
  std::vector<std::uint64_t> free_;  ///< Of each tile.
  std::deque<Burst> waiting_;
  std::deque<Sent> sent_;
  std::uint64_t sender_free_ = 0, answered_ = 0;
};

}  // namespace fovea
