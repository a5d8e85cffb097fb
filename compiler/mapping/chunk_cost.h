// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the array, the filters and the output of one chunk of channels take, each as if the others were always ready.
#ifndef FOVEA_COMPILER_MAPPING_CHUNK_COST_H_
#define FOVEA_COMPILER_MAPPING_CHUNK_COST_H_

#include "dram_traffic.h"
#include "output_cost.h"
#include "pass_timing.h"

namespace fovea {

/// A mapped layer on a machine, with what follows from them.
struct MappedLayer {
  MappedLayer(const dla_machine& of_machine, const dla_shape& of_shape, const dla_mapping& of_mapping);

  const dla_machine& machine;
  const dla_shape& shape;
  const dla_mapping& mapping;
  dla_passes passes;
  DramBytes dram_bytes;
};

/// The passes of one chunk of q*r channels in one tile of filters and rows.
struct Chunk {
  std::uint32_t filters;   ///< Of the tile: at most m.
  std::uint32_t rows;      ///< Of the tile: at most e_glb.
  std::uint32_t channels;  ///< At most q*r.
  bool first, last;        ///< Of its tile's chunks: begins from the biases; ends in the output.
};

/// Cycles.
struct ChunkCost {
  CyclesByCause array;            ///< All passes, filters included, when no load is late,
  std::uint64_t cycles = 0;       ///< and their sum.
  std::uint64_t ifmap_load = 0;   ///< The chunk's ifmap on the DRAM bus.
  std::uint64_t filter_load = 0;  ///< All its filters on the DRAM bus.
  std::uint64_t first_load = 0;   ///< Of them, the first set.
  std::uint64_t first_feed = 0;   ///< From the first set in the GLB to the set in the PEs.
  std::uint64_t first_fill = 0;   ///< From the ifmap in the GLB to the first window in the PEs.
  std::uint64_t last_column = 0;  ///< So long before the end, the ifmap's place is free.
  std::uint64_t last_group = 0;   ///< So long before the end, the next chunk's first set may be fed.
  std::uint64_t asks_ifmap = 0;   ///< So long before the end, the next chunk's ifmap may be asked for,
  std::uint64_t asks_filter = 0;  ///< and its first filters.
  OutputCost output;
};

ChunkCost price_chunk(const MappedLayer& layer, const Chunk& chunk);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_CHUNK_COST_H_
