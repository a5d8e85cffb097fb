// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lower bounds for each m, the last letter to be chosen: so cheap that every m can be asked about.
#pragma once

#include <vector>

#include "chunk_cost.h"
#include "layer_bounds.h"
#include "pass_sequence.h"

namespace fovea {

/// Bounds of the mappings that differ in m and residency alone, PEs not holding whole groups of channels. A group of
/// p*t filters or fewer costs the same in every tile, so group costs are worked out once.
class FilterTileBounds {
 public:
  /// \param tiles  A mapping with the letters other than m and residency.
  FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles);

  /// What follows is about mappings with this residency. \param bound  LayerBounds::of_tiles() of them.
  void set_residency(bool ifmap_resident, const Bound& bound);

  /// Figures that no mapping goes below whose first group has so many filters or more: the quickest to ask for.
  Figures of_first(std::uint32_t filters);

  /// Figures that the mapping with this m does not go below, by sums over its groups: quicker than of_passes().
  Figures of_groups(std::uint32_t m);

  /// Figures that the mapping with this m does not go below, by its passes alone: quicker than of().
  Figures of_passes(std::uint32_t m);

  /// Figures that the mapping with this m does not go below.
  Figures of(std::uint32_t m);

 private:
  /// Of all passes with one group's filters.
  struct GroupCost {
    std::uint64_t bytes = 0;          ///< Of its filters and biases, of a row tile,
    std::uint64_t load = 0;           ///< and the cycles that they keep the bus busy; 0: not worked out yet.
    std::uint64_t residual_load = 0;  ///< The same of the residuals of its outputs, of all row tiles.
  };

  Figures at_least(std::uint64_t array_cycles) const;
  std::uint64_t begin(std::uint32_t filters);
  std::uint64_t end(std::uint32_t filters);
  const GroupCost& group(std::uint32_t filters);
  Fold last_fold(std::uint32_t rows) const;
  std::uint64_t most_staying(std::uint32_t m) const;
  std::uint64_t cycles(std::uint32_t m);

  dla_mapping tiles_;
  MappedLayer layer_;
  Bound bound_;
  PassSequence sequence_;
  std::uint32_t most_;             ///< Filters of a whole group.
  std::uint64_t ifmap_bytes_;      ///< Of one load of all rows,
  std::uint64_t ifmap_load_ = 0;   ///< and its cycles on the bus.
  std::uint64_t first_asked_;      ///< When the first load begins,
  std::uint64_t first_fed_;        ///< and from when on the first ifmap chunk is in the GLB.
  std::uint64_t room_ = 0;         ///< Bytes that ifmap and output leave to psums and filters,
  std::uint64_t group_psums_ = 0;  ///< and psums of a group of filters, of a row tile.
  std::uint64_t chunk_load_;       ///< The most cycles that a filter chunk is on the bus.
  // By filters in the group.
  std::vector<std::uint64_t> begins_, ends_;  ///< 0: not worked out yet.
  std::vector<GroupCost> costs_;
  std::vector<std::uint64_t> cycles_;  ///< Of the passes, by m; 0: not worked out yet.
};

}  // namespace fovea
