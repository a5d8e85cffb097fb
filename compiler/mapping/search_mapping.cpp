// SPDX-License-Identifier: Apache-2.0
/// \file
/// Branch and bound, best bound first: the array, then the tiles, then m.
#include "search_mapping.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "best_mappings.h"
#include "filter_tile_bounds.h"
#include "mapping_space.h"

namespace fovea {
namespace {

/// An array mapping and what nothing that it is part of goes below.
struct BoundedArray {
  dla_mapping mapping;
  Bound bound;
};

class Search {
 public:
  /// \param costs  Null where the objective does not ask for energy.
  Search(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape)
      : machine_(machine), costs_(costs), shape_(shape), bounds_(machine, costs, shape) {
    const std::vector<dla_mapping> mappings = array_mappings(machine, shape);
    arrays_.reserve(mappings.size());
    for (const dla_mapping& mapping : mappings) {
      arrays_.push_back({mapping, bounds_.of_array(mapping)});
    }
  }

  /// Some fast mapping: the best of the array with the lowest bound that has any. Null where no mapping is legal.
  /// \param most_cycles  What takes more may be left out.
  std::optional<dla_mapping> find_fast(std::uint64_t most_cycles) {
    most_cycles_ = most_cycles;
    const Ranking ranking{Objective::kCycles, 0};
    BestMappings best(shape_, 1);
    walk_arrays(ranking, best, [&] { return best.best().empty(); });
    return best.best().empty() ? std::nullopt : std::optional(best.best().front().mapping);
  }

  /// The fastest mapping of those that take fewer than so many cycles; null where there is none.
  std::optional<dla_mapping> find_faster(std::uint64_t cycles) {
    const Ranking ranking{Objective::kCycles, 0};
    BestMappings best(shape_, 1, ranking.rank({cycles, 0, 0, 0, UINT32_MAX, 0}));
    walk_arrays(ranking, best, [] { return true; });
    return best.best().empty() ? std::nullopt : std::optional(best.best().front().mapping);
  }

  /// The best by a ranking. \param known  A mapping to begin with.
  BestMappings find_best(const Ranking& ranking, std::size_t count, const std::optional<dla_mapping>& known = {}) {
    most_cycles_ = UINT64_MAX;
    BestMappings best(shape_, count);
    if (known) {
      try_mapping(*known, ranking, best);
    }
    walk_arrays(ranking, best, [] { return true; });
    best_census_ = census_;
    return best;
  }

  /// Whether every mapping takes more than `most_cycles`, as far as the array's part says.
  bool is_slower_than(std::uint64_t most_cycles) const {
    return std::all_of(arrays_.begin(), arrays_.end(),
                       [&](const BoundedArray& array) { return array.bound.figures.array_cycles > most_cycles; });
  }

  Figures price(const dla_mapping& mapping) const { return price_figures(machine_, costs_, shape_, mapping); }

  /// Of the last find_best().
  const SearchCensus& census() const { return best_census_; }

 private:
  /// What an array mapping's tiles come to at least, and its place: of equal ones the first is tried first.
  using Candidate = std::pair<Rank, std::size_t>;

  /// Tries arrays, the lowest bound first, while it `goes_on`.
  template <class GoesOn>
  void walk_arrays(const Ranking& ranking, BestMappings& best, const GoesOn& goes_on) {
    census_ = {};
    census_.arrays = arrays_.size();
    std::vector<Candidate> queue;
    queue.reserve(arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      Figures coarse = arrays_[i].bound.figures;
      coarse.cycles = arrays_[i].bound.coarse_cycles;
      if (may_be_taken(arrays_[i], ranking, best)) {
        queue.emplace_back(ranking.rank(coarse), i);
      }
    }
    // A heap, as most of them are never looked at: sorting them took longer than the search.
    std::make_heap(queue.begin(), queue.end(), std::greater<>());
    while (!queue.empty() && best.takes(queue.front().first) && goes_on()) {
      const BoundedArray& array = arrays_[queue.front().second];
      std::pop_heap(queue.begin(), queue.end(), std::greater<>());
      queue.pop_back();
      if (may_be_taken(array, ranking, best)) {
        try_array(array.mapping, ranking, best);
      }
    }
    for (const Candidate& left : queue) {
      note_pruned(arrays_[left.second]);
    }
  }

  void note_pruned(const BoundedArray& array) { ++census_.pruned_arrays[static_cast<std::size_t>(array.bound.limit)]; }

  /// Whether a mapping of these bounds may be one of the best. The array's part of them bounds the plan's cycles too,
  /// which may be fewer than those it is ranked by.
  bool takes(const Figures& bounds, const Ranking& ranking, const BestMappings& best) const {
    return bounds.array_cycles <= most_cycles_ && best.takes(ranking.rank(bounds));
  }

  /// Counts it where it may not.
  bool may_be_taken(const BoundedArray& array, const Ranking& ranking, const BestMappings& best) {
    const bool is_taken = takes(array.bound.figures, ranking, best);
    if (!is_taken) {
      note_pruned(array);
    }
    return is_taken;
  }

  void try_array(dla_mapping mapping, const Ranking& ranking, BestMappings& best) {
    std::uint32_t windows = dla_pooled(&shape_, output_rows(shape_));
    for (; windows >= dla_pooled(&shape_, mapping.e); --windows) {
      const std::uint32_t e_glb = dla_pool_rows(&shape_, windows);
      for (const bool resident : {true, false}) {
        if (resident && mapping.g != 0) {
          continue;  // Each filter tile has channels of its own.
        }
        mapping.e_glb = e_glb;
        mapping.ifmap_resident = resident;
        try_tiles(mapping, ranking, best);
      }
    }
  }

  void try_tiles(dla_mapping mapping, const Ranking& ranking, BestMappings& best) {
    ++census_.tilings;
    dla_error error = kDlaErrorNone;
    const std::uint32_t most = most_filters(machine_, shape_, mapping, &error);
    if (most == 0) {
      ++census_.illegal_tilings[error];
      return;
    }
    mapping.m = most;
    const Bound bound = bounds_.of_tiles(mapping, most);
    const auto limit = static_cast<std::size_t>(bound.limit);
    if (!takes(bound.figures, ranking, best)) {
      ++census_.pruned_tilings[limit];
      return;
    }
    if (mapping.g != 0) {
      ++census_.filter_tiles;
      ++census_.priced[limit];
      try_places(mapping, ranking, best);
      return;
    }
    FilterTileBounds tile_bounds(machine_, shape_, mapping, bound);
    const std::uint32_t step = filter_tile_step(shape_, mapping);
    for (std::uint32_t m = most; m > 0; m = (m - 1) / step * step) {
      ++census_.filter_tiles;
      mapping.m = m;
      if (best.takes(ranking.rank(tile_bounds.of(m)))) {
        ++census_.priced[limit];
        try_places(mapping, ranking, best);
      } else {
        ++census_.pruned_filter_tiles[limit];
      }
    }
  }

  void try_places(const dla_mapping& mapping, const Ranking& ranking, BestMappings& best) {
    for (const dla_mapping& placed : filter_places(machine_, shape_, mapping)) {
      try_mapping(placed, ranking, best);
    }
  }

  void try_mapping(const dla_mapping& mapping, const Ranking& ranking, BestMappings& best) {
    const Rank rank = ranking.rank(price(mapping));
    if (best.takes(rank)) {
      best.add(rank, mapping);
    }
  }

  const dla_machine& machine_;
  const AccessEnergy* costs_;
  const dla_shape& shape_;
  LayerBounds bounds_;
  std::vector<BoundedArray> arrays_;
  std::uint64_t most_cycles_ = UINT64_MAX;
  SearchCensus census_, best_census_;
};

}  // namespace

std::uint64_t same_cycles_as(std::uint64_t cycles, std::uint32_t slack_percent) {
  return cycles + cycles * slack_percent / 100;
}

namespace {

/// The fewest cycles of which so many are the same.
std::uint64_t least_same_as(std::uint64_t cycles, std::uint32_t slack_percent) {
  std::uint64_t least = cycles * 100 / (100 + slack_percent);
  while (same_cycles_as(least, slack_percent) < cycles) {
    ++least;
  }
  return least;
}

/// The best of the mappings that are as fast as the fastest. Which one is the fastest is asked last, and only whether
/// it is so much faster than a fast one that what is found is too slow: as a rule, a bound says that none is.
std::vector<BestMappings::Ranked> find_equally_fast(Search& search, std::uint32_t slack_percent, std::size_t count,
                                                    std::uint64_t most_cycles) {
  std::vector<BestMappings::Ranked> best;
  std::optional<dla_mapping> fast = search.find_fast(most_cycles);
  for (const bool is_fastest : {false, true}) {
    if (!fast) {
      break;
    }
    const std::uint64_t same_cycles = same_cycles_as(search.price(*fast).cycles, slack_percent);
    best = search.find_best({Objective::kCycles, same_cycles}, count, fast).best();
    if (!is_fastest) {
      std::uint64_t slowest = 0;
      for (const BestMappings::Ranked& found : best) {
        const std::uint64_t cycles = search.price(found.mapping).cycles;
        slowest = cycles <= same_cycles ? std::max(slowest, cycles) : slowest;
      }
      fast = search.find_faster(least_same_as(slowest, slack_percent));
    }
  }
  return best;
}

}  // namespace

SearchResult search_mappings(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape,
                             const Goal& goal, std::size_t count, std::uint64_t most_cycles) {
  const bool is_for_cycles = goal.objective == Objective::kCycles;
  Search search(machine, is_for_cycles ? nullptr : &costs, shape);
  if (search.is_slower_than(most_cycles)) {
    return {};
  }
  const std::vector<BestMappings::Ranked> best = is_for_cycles
                                                     ? find_equally_fast(search, goal.slack_percent, count, most_cycles)
                                                     : search.find_best({goal.objective, 0}, count).best();
  SearchResult result;
  for (const BestMappings::Ranked& found : best) {
    result.best.push_back(plan_mapping(machine, shape, found.mapping));
  }
  result.census = search.census();
  return result;
}

}  // namespace fovea
