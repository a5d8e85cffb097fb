// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lower bounds for each m, the last letter to be chosen: so cheap that every m can be asked about.
#pragma once

#include <vector>

#include "chunk_cost.h"
#include "layer_bounds.h"

namespace fovea {

/// Bounds of the mappings that differ in m alone, PEs not holding whole groups of channels. A group of p*t filters or
/// fewer costs the same in every tile, so group costs are worked out once.
class FilterTileBounds {
 public:
  /// \param tiles  A mapping with the letters other than m.
  /// \param bound  LayerBounds::of_tiles() of them.
  FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles, const Bound& bound);

  /// Figures that the mapping with this m does not go below.
  Figures of(std::uint32_t m);

 private:
  /// Of all passes with one group's filters.
  struct GroupCost {
    std::uint64_t array = 0;          ///< Cycles of the array or the sequencer; 0: not worked out yet.
    std::uint64_t bytes = 0;          ///< Of its filters and biases, over all row tiles,
    std::uint64_t load = 0;           ///< the cycles that they keep the bus busy,
    std::uint64_t residual_load = 0;  ///< those that the residuals of its outputs do,
    std::uint64_t feed = 0;           ///< and those that the filters take to the PEs.
    // As the layer's first group:
    std::uint64_t fill = 0;        ///< from the ifmap in the GLB to the first window in the PEs,
    std::uint64_t first_load = 0;  ///< its filters on the bus,
    std::uint64_t first_feed = 0;  ///< and on their way to the PEs.
    // As the last:
    std::uint64_t last = 0;  ///< its passes,
    std::uint64_t end = 0;   ///< As the last: from its last product to DONE.
  };

  const GroupCost& group(std::uint32_t filters);
  Fold last_fold(std::uint32_t rows) const;
  std::uint64_t most_staying(std::uint32_t m) const;
  void add_row_tiles(std::uint32_t filters, std::uint32_t rows, std::uint64_t tiles, GroupCost& cost) const;

  dla_mapping tiles_;
  MappedLayer layer_;
  Figures bound_;
  std::uint64_t ifmap_bytes_;      ///< Of one load of all rows.
  std::uint64_t first_asked_;      ///< When the first load begins,
  std::uint64_t first_load_;       ///< and how long the ifmap takes of it.
  std::uint64_t room_ = 0;         ///< Bytes that ifmap and output leave to psums and filters,
  std::uint64_t group_psums_ = 0;  ///< and psums of a group of filters, of a row tile.
  std::uint64_t chunk_load_;       ///< The most cycles that a filter chunk is on the bus.
  std::vector<GroupCost> costs_;   ///< By filters in the group.
};

}  // namespace fovea
