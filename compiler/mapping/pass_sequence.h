// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long the passes of a layer take one after another, if no load and no store is ever waited for: while a group of
/// filters is in the array, those of the next are fed.
#pragma once

#include <algorithm>
#include <vector>

#include "filter_group.h"
#include "spec/dla_schedule.h"

namespace fovea {

/// Of mappings that differ in m alone, PEs not holding whole groups of channels. What a group of so many filters takes
/// is worked out once.
class PassSequence {
 public:
  /// \param layer  Outlives this. Its m does not matter.
  explicit PassSequence(const MappedLayer& layer);

  /// Cycles from the begin of the first pass to the last product, with this m.
  std::uint64_t cycles(std::uint32_t m);

  /// What cycles() are not below: the groups one after another, as if all feeds were hidden, or all passes. Quicker.
  std::uint64_t least_cycles(std::uint32_t m);

  /// Calls visit(set, times) for the sets of filters that all passes of a row tile with a group of `filters` take.
  template <class Visit>
  void for_sets(std::uint32_t filters, Visit visit) const {
    for (const Step& step : steps_) {
      visit(set_of(step, filters), step.times);
    }
  }

  /// The first set of filters of a layer whose first group has so many, and the lengths of its first pass.
  dla_filter_set first_set(std::uint32_t filters) const { return set_of(steps_.front(), filters); }
  dla_lengths first_lengths(std::uint32_t filters) const;

 private:
  /// The passes on a chunk of channels and a fold of filter rows.
  struct Step {
    std::uint32_t channels, rows;
    bool first, last;  ///< As Fold has them.
    std::uint64_t times;
  };

  /// How often one step follows another in a tile of filters.
  struct Change {
    std::size_t from, to;
    std::uint64_t times;
  };

  /// Of all passes with a group of so many filters, what the array takes, and the feeds of their filters.
  struct GroupSums {
    std::uint64_t array = 0, feeds = 0;  ///< 0: not worked out yet.
  };

  const GroupSums& sums(std::uint32_t filters);
  void add_chunks(std::uint32_t channels, bool first, bool last, std::uint64_t chunks);
  dla_filter_set set_of(const Step& step, std::uint32_t filters) const;
  std::uint64_t feed(std::size_t step, std::uint32_t filters);
  std::uint64_t array(std::size_t step, std::size_t rows, std::uint32_t filters);
  std::uint64_t step_cycles(std::size_t step, std::size_t rows, std::uint32_t filters, std::uint64_t next_feed);
  std::uint64_t tile_cycles(std::uint32_t filters, std::uint64_t next_feed);
  std::uint64_t cycles_before_like(std::uint32_t filters);
  std::uint32_t first_group(std::uint32_t filters) const { return std::min(filters, group_); }

  const MappedLayer& layer_;
  std::uint32_t group_, tail_;  ///< Filters of a whole group; steps of a pass's tail.
  std::vector<dla_piece> row_tiles_;
  std::vector<dla_pieces> strips_;  ///< Of each of them.
  std::vector<Step> steps_;
  std::vector<Change> changes_;
  /// By step, row tile and filters; by step and filters. 0: not worked out yet.
  std::vector<std::uint64_t> arrays_, feeds_;
  std::vector<GroupSums> sums_;  ///< By filters.
  /// Of a tile of so many filters, up to less than two groups, before one whose first group is as large.
  std::vector<std::uint64_t> tiles_;
  std::uint64_t more_ = 0;  ///< What each whole group more adds to that; 0: not worked out yet.
};

}  // namespace fovea
