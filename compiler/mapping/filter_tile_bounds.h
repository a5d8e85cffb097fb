// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lower bounds for each m, the last letter to be chosen: so cheap that every m can be asked about.
#ifndef FOVEA_COMPILER_MAPPING_FILTER_TILE_BOUNDS_H_
#define FOVEA_COMPILER_MAPPING_FILTER_TILE_BOUNDS_H_

#include <vector>

#include "layer_bounds.h"

namespace fovea {

/// Bounds of the mappings that differ in m alone. A group of p*t filters or fewer costs the same in every tile, so
/// group costs are worked out once.
class FilterTileBounds {
 public:
  /// \param tiles  The letters other than m.
  /// \param bound  LayerBounds::of_tiles() of them.
  FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles, const Bound& bound);

  /// Figures that the mapping with this m does not go below.
  Figures of(std::uint32_t m);

 private:
  struct GroupCost {
    std::uint64_t cycles = 0;  ///< Of all passes with the group's filters; 0: not worked out yet.
    std::uint64_t bytes = 0;   ///< Of its filters and biases, a row tile,
    std::uint64_t load = 0;    ///< and the cycles that their loads keep the bus busy.
  };

  const GroupCost& group(std::uint32_t filters);
  std::uint64_t pass_cycles(const dla_filter_chunk& chunk, std::uint32_t e) const;

  const dla_machine& machine_;
  const dla_shape& shape_;
  dla_mapping tiles_;
  Figures bound_;
  dla_passes passes_;
  std::uint64_t ifmap_bytes_;     ///< Of one load of all rows.
  std::vector<GroupCost> costs_;  ///< By filters in the group.
};

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_FILTER_TILE_BOUNDS_H_
