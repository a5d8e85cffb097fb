// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the array, the filters and the output of one chunk of channels take, each as if the others were always ready.
#pragma once

#include "filter_group.h"

namespace fovea {

/// The passes of one chunk of q*r channels in one tile of filters and rows.
struct Chunk {
  std::uint32_t filters;   ///< Of the tile: at most m.
  std::uint32_t rows;      ///< Of the tile: at most e_glb.
  std::uint32_t channels;  ///< At most q*r.
  bool first, last;        ///< Of its tile's chunks: begins from the biases; ends in the output.
  std::uint64_t staying;   ///< Of its filter sets, the first so many are in the GLB already.
};

/// Filter sets of a chunk in a tile of so many filters: one a fold and group.
std::uint64_t sets_of_chunk(const MappedLayer& layer, std::uint32_t filters);

/// Cycles.
struct ChunkCost {
  CyclesByCause array;            ///< All passes, filters included, when no load is late,
  std::uint64_t cycles = 0;       ///< and their sum.
  std::uint64_t ifmap_load = 0;   ///< The chunk's ifmap on the DRAM bus.
  std::uint64_t filter_load = 0;  ///< All its filters but those that stayed, and residuals, on the DRAM bus.
  std::uint64_t first_load = 0;   ///< Of them, the first set; 0 where it stayed.
  std::uint64_t first_feed = 0;   ///< From the first set in the GLB to the set in the PEs.
  std::uint64_t first_fill = 0;   ///< From the ifmap in the GLB to the first window in the PEs.
  // So long before the end ...
  std::uint64_t last_column = 0;  ///< ... the ifmap's place is free,
  std::uint64_t last_group = 0;   ///< ... the next chunk's first set may be fed,
  std::uint64_t asks_ifmap = 0;   ///< ... its ifmap may be asked for,
  std::uint64_t asks_filter = 0;  ///< ... and its first filters.
  OutputCost output;
};

/// Cycles that `channels` channels of a tile of `rows` output rows are on the DRAM bus.
std::uint64_t ifmap_load_cycles(const MappedLayer& layer, std::uint32_t channels, std::uint32_t rows);

ChunkCost price_chunk(const MappedLayer& layer, const Chunk& chunk);

}  // namespace fovea
