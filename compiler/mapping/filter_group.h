// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the passes of one group of p*t filters take, on one chunk of channels and one fold of filter rows.
#pragma once

#include "dram_traffic.h"
#include "pass_timing.h"

namespace fovea {

/// A sequence of such passes, in cycles. There are two tiles: while one is stored the array fills the other, so from
/// the end of one pass to that of the next it takes the next pass, or the store of the one before.
struct OutputCost {
  std::uint64_t passes = 0;
  std::uint64_t array = 0;    ///< Of all passes, without the store.
  std::uint64_t first = 0;    ///< Of `array`, the first pass,
  std::uint64_t last = 0;     ///< and the last one.
  std::uint64_t busy = 0;     ///< From the end of the first pass to that of the last, where stores may take longer.
  std::uint64_t store = 0;    ///< Gathering and writing the last tile,
  std::uint64_t stores = 0;   ///< and with it the one before.
  std::uint64_t latency = 0;  ///< From a pass's last product to the store.

  static OutputCost one_pass(std::uint64_t pass, std::uint64_t store, std::uint64_t latency);
  OutputCost followed_by(const OutputCost& next) const;
  OutputCost repeated(std::uint64_t count) const;

  /// The same passes, where with waits for filters they take `cycles` in all.
  OutputCost spread_over(std::uint64_t cycles) const;
};

/// A mapped layer on a machine, with what follows from them.
struct MappedLayer {
  MappedLayer(const dla_machine& of_machine, const dla_shape& of_shape, const dla_mapping& of_mapping);

  const dla_machine& machine;
  const dla_shape& shape;
  const dla_mapping& mapping;
  dla_passes passes;
  DramBytes dram_bytes;
  std::uint64_t staying_chunks;  ///< Filter chunks that a row tile but the first finds in the GLB,
  bool filters_fit;              ///< and whether they are all that it takes.
};

/// The passes on some filter rows of a chunk in one tile.
struct Fold {
  std::uint32_t tile_rows;  ///< Output rows of the tile: at most e_glb.
  std::uint32_t channels;   ///< Of the chunk: at most q*r.
  std::uint32_t rows;       ///< Filter rows: at most fold_rows.
  bool first, last;         ///< Of all passes on the tile's psums: begins from the biases; ends in the output.
};

/// All row strips of the tile with one set of filters. Cycles.
struct FilterGroup {
  std::uint32_t filters = 0;
  std::uint64_t strips = 0;
  CyclesByCause array;  ///< Of the passes.
  OutputCost output;    ///< In the last fold.
  std::uint64_t sequencer = 0;
  std::uint64_t bytes = 0;          ///< Of the filters,
  std::uint64_t load = 0;           ///< and their cycles on the DRAM bus.
  std::uint64_t residual_load = 0;  ///< The same of the residuals of its output tiles.
  std::uint64_t feed = 0;           ///< From one set to the next on the way from the GLB to the PEs.
  std::uint64_t fill = 0;           ///< From the ifmap in the GLB to the first window in the PEs.
  std::uint64_t last_column = 0;    ///< So long before the end, the ifmap is needed no more.

  /// From a free filter buffer until it is free again.
  std::uint64_t buffer_turn() const { return kRequestCycles + load + kTokenCycles + feed; }
};

/// Between two sets of filters on their way to the PEs: the change of halves, and the feed's first word.
inline constexpr std::uint64_t kFeedTurnCycles = 1 + kDlaFeedCycles;

/// What the sequencer needs for `groups` groups of `sets` filter sets and `strips` strips in all.
constexpr std::uint64_t sequencer_cycles(std::uint64_t sets, std::uint64_t strips, std::uint64_t groups = 1) {
  return sets + (kDlaGroupSteps + kDlaPushSteps) * groups + (kDlaStripSteps + kDlaPushSteps) * strips;
}

/// \param filters  1 to p*t.
FilterGroup price_group(const MappedLayer& layer, const Fold& fold, std::uint32_t filters);

/// FilterGroup::feed alone.
std::uint64_t feed_cycles(const MappedLayer& layer, const Fold& fold, std::uint32_t filters);

}  // namespace fovea
