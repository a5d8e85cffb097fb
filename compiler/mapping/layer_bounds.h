// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lower bounds on what mappings cost before all of their letters are chosen: what lets the search skip most of them.
#pragma once

#include <string_view>
#include <vector>

#include "access_counts.h"
#include "objective.h"
#include "spec/dla_schedule.h"

namespace fovea {

/// What takes longest: of several lower bounds on a layer's cycles, the largest.
enum class Limit { kProducts, kPsumNetwork, kIfmapNetwork, kDramReads, kStore, kSequencer, kFilterNetwork };

inline constexpr std::size_t kLimits = 7;

/// "products", "psum network", ...
std::string_view to_text(Limit limit);

/// Figures that a set of mappings does not go below.
struct Bound {
  Figures figures;
  Limit limit = Limit::kProducts;
  /// Without sequencer and filter network: what the search is ordered by.
  std::uint64_t coarse_cycles = 0;
  std::uint64_t from_begin = 0;  ///< From the begin of the first pass to DONE,
  std::uint64_t end = 0;         ///< and from the last product to DONE.
};

/// Bounds of one layer on one machine. Each is admissible: no mapping of its set that price_mapping() and
/// count_accesses() are asked about is better in any figure (test: layer_bounds_test.cpp), but for the bounds that
/// the bus and the store set on the cycles of layers of many short chunks (Figures::array_cycles).
class LayerBounds {
 public:
  /// \param costs  Null: no energy is bounded.
  LayerBounds(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape);

  /// Of all mappings with these e, p, q, r and t.
  Bound of_array(const dla_mapping& array) const;

  /// Of those that have this e_glb and residency too, and as m what filter_tile_step() says up to `most_filters`.
  Bound of_tiles(dla_mapping tiles, std::uint32_t most_filters) const;

 private:
  /// How a mapping cuts the layer, or the fewest or smallest pieces that it may have.
  struct Pieces {
    dla_passes passes;
    std::uint64_t filter_bytes;  ///< Of a row tile.
    std::uint64_t strips, e_tiles;
    std::uint64_t ifmap_runs;  ///< Loads of a channel's rows.
    std::uint32_t rows;        ///< Of the first row tile.
    std::uint32_t filters;     ///< Of the first group.
    const dla_pieces* cut;     ///< The strips, where they are known.
  };

  Bound bound(const dla_mapping& mapping, AccessCounts counts, const Pieces& pieces) const;
  std::uint64_t filter_bytes(const dla_mapping& mapping) const;
  std::uint64_t most_staying_bytes(const dla_passes& passes) const;

  const dla_machine& machine_;
  const AccessEnergy* costs_;
  const dla_shape& shape_;
  std::vector<std::uint64_t> ifmap_bytes_;  ///< By e_glb; the fewest of all in place 0.
  /// By q and p: the fewest bytes of the filters' rows in q channels, by sets of up to p filters.
  std::vector<std::vector<std::uint64_t>> row_bytes_;
};

}  // namespace fovea
