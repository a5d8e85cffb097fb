// SPDX-License-Identifier: Apache-2.0
/// \file
/// Branch and bound, best bound first: the array, then the tiles, then m.
#include "search_mapping.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "best_mappings.h"
#include "filter_tile_bounds.h"
#include "mapping_space.h"

namespace fovea {
namespace {

/// One way to fill the array, and what no mapping that has it goes below.
struct BoundedArray {
  dla_mapping mapping;
  Bound bound;
  /// The most windows a tile that fit, streamed and resident, once they were asked for.
  std::optional<std::uint32_t> most_windows[2] = {};
  bool is_probed = false;
};

/// Ways to fill the array, and what no mapping that has one of them goes below: what those with the largest t do not go
/// below, as more filters side by side make nothing more of any figure that an array's bound is made of.
struct BoundedFamily {
  ArrayFamily family;
  Bound bound;
  std::vector<BoundedArray> members;  ///< Empty until they were asked for, as several walks ask.
};

class Search {
 public:
  /// \param costs           Null where the objective does not ask for energy.
  /// \param counts_illegal  The census says why tilings are illegal, which takes a tenth of the time.
  Search(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape, bool counts_illegal)
      : machine_(machine),
        costs_(costs),
        shape_(shape),
        counts_illegal_(counts_illegal),
        bounds_(machine, costs, shape) {
    const std::vector<ArrayFamily> families = array_families(machine, shape);
    families_.reserve(families.size());
    for (const ArrayFamily& family : families) {
      families_.push_back({family, bounds_.of_array(family.widest()), {}});
    }
  }

  /// Some fast mapping: a few tilings of each array are priced, the lowest bound first, until that gains no more; then
  /// all tilings of the best of these arrays. Null where no mapping is legal.
  std::optional<dla_mapping> find_fast() {
    const Ranking ranking{Objective::kCycles, 0};
    BestMappings best(shape_, 1);
    int steps = 0;
    const auto still_gains = [&, rank = Rank{}]() mutable {
      const Rank now = best.best().empty() ? Rank{} : best.best().front().rank;
      steps = now == rank ? steps + 1 : 0;
      rank = now;
      return best.best().empty() || steps < kGainlessSteps;
    };
    walk_arrays(ranking, best, still_gains, &Search::probe_array);
    if (best.best().empty()) {
      return std::nullopt;
    }
    BoundedArray array{best.best().front().mapping, {}};
    try_array(array, ranking, best);
    return best.best().front().mapping;
  }

  /// The fastest mapping of those that take fewer than so many cycles; null where there is none. A few tilings of each
  /// array are priced first, so that bounds rule out more of the others.
  std::optional<dla_mapping> find_faster(std::uint64_t cycles) {
    const Ranking ranking{Objective::kCycles, 0};
    BestMappings best(shape_, 1, ranking.rank({cycles, 0, 0, 0, UINT32_MAX, 0}));
    walk_arrays(
        ranking, best, [] { return true; }, &Search::probe_array);
    for (BoundedArray* array : visited_) {
      if (takes(array->bound.figures, ranking, best)) {
        try_array(*array, ranking, best);
      }
    }
    return best.best().empty() ? std::nullopt : std::optional(best.best().front().mapping);
  }

  /// The best by a ranking. \param known  A mapping to begin with.
  BestMappings find_best(const Ranking& ranking, std::size_t count, const std::optional<dla_mapping>& known = {}) {
    BestMappings best(shape_, count);
    if (known) {
      try_mapping(*known, ranking, best);
    }
    walk_arrays(ranking, best, [] { return true; });
    best_census_ = census_;
    return best;
  }

  /// Whether every mapping takes more than `most_cycles`, as far as the array's part says. That bounds the plan's
  /// cycles too, which may be fewer than those that a mapping is ranked by.
  bool is_slower_than(std::uint64_t most_cycles) const {
    return std::all_of(families_.begin(), families_.end(),
                       [&](const BoundedFamily& family) { return family.bound.figures.array_cycles > most_cycles; });
  }

  Figures price(const dla_mapping& mapping) const { return price_figures(machine_, costs_, shape_, mapping); }

  /// Of the last find_best().
  const SearchCensus& census() const { return best_census_; }

 private:
  /// What an array mapping's tiles come to at least; its place among all arrays, as of equal ones the first is tried
  /// first, or 0 for a family, which comes before its arrays; and where it is kept.
  struct Candidate {
    Rank rank;
    std::uint64_t place;
    std::size_t kept;
    /// No number is a NaN, so this is what std::tie() says, sooner.
    bool operator>(const Candidate& other) const {
      for (std::size_t i = 0; i < rank.size(); ++i) {
        if (rank[i] != other.rank[i]) {
          return rank[i] > other.rank[i];
        }
      }
      return std::tie(place, kept) > std::tie(other.place, other.kept);
    }
  };

  /// Of walk_arrays(), after which find_fast() looks at no more arrays.
  static constexpr int kGainlessSteps = 256;

  /// What walk_arrays() does with an array.
  using Visit = void (Search::*)(BoundedArray&, const Ranking&, BestMappings&);

  /// Visits arrays that may have one of the best mappings, the lowest bound first, while it `goes_on`.
  template <class GoesOn>
  void walk_arrays(const Ranking& ranking, BestMappings& best, GoesOn goes_on, Visit visit = &Search::try_array) {
    census_ = {};
    visited_.clear();
    std::vector<std::uint64_t> places;  // Of each family's first array.
    std::vector<BoundedArray*> arrays;
    std::vector<Candidate> queue;  // A heap, as most of them are never looked at: sorting them took longer.
    const auto push = [&](const Candidate& candidate) {
      queue.push_back(candidate);
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    };
    for (const BoundedFamily& family : families_) {
      places.push_back(census_.arrays + 1);
      census_.arrays += family.family.count;
      if (may_be_taken(family.bound, family.family.count, ranking, best)) {
        queue.push_back({coarse_rank(family.bound, ranking), 0, places.size() - 1});
      }
    }
    std::make_heap(queue.begin(), queue.end(), std::greater<>());
    while (!queue.empty() && best.takes(queue.front().rank) && goes_on()) {
      const Candidate next = queue.front();
      std::pop_heap(queue.begin(), queue.end(), std::greater<>());
      queue.pop_back();
      if (next.place != 0) {
        BoundedArray& array = *arrays[next.kept];
        if (may_be_taken(array.bound, 1, ranking, best)) {
          visited_.push_back(&array);
          (this->*visit)(array, ranking, best);
        }
        continue;
      }
      BoundedFamily& family = families_[next.kept];
      if (!may_be_taken(family.bound, family.family.count, ranking, best)) {
        continue;
      }
      std::uint64_t place = places[next.kept];
      for (BoundedArray& member : members(family)) {
        if (may_be_taken(member.bound, 1, ranking, best)) {
          arrays.push_back(&member);
          push({coarse_rank(member.bound, ranking), place, arrays.size() - 1});
        }
        ++place;
      }
    }
    for (const Candidate& left : queue) {
      if (left.place != 0) {
        note_pruned(arrays[left.kept]->bound, 1);
      } else {
        note_pruned(families_[left.kept].bound, families_[left.kept].family.count);
      }
    }
  }

  std::vector<BoundedArray>& members(BoundedFamily& family) const {
    if (family.members.empty()) {
      for (const dla_mapping& mapping : members_of(machine_, shape_, family.family)) {
        const bool is_widest = mapping.t == family.family.most_t;
        family.members.push_back({mapping, is_widest ? family.bound : bounds_.of_array(mapping)});
      }
      note_misfit(family);
    }
    return family.members;
  }

  /// More filter sets take more of each region: where the lowest tile does not fit with the fewest, it does with none.
  void note_misfit(BoundedFamily& family) const {
    const std::uint32_t least = dla_pooled(&shape_, family.family.mapping.e);
    for (const bool resident : {false, true}) {
      dla_mapping mapping = family.family.mapping;
      mapping.ifmap_resident = resident;
      if (tile_error(mapping, least) != kDlaErrorNone) {
        for (BoundedArray& member : family.members) {
          member.most_windows[resident] = least - 1;
        }
      }
    }
  }

  static Rank coarse_rank(const Bound& bound, const Ranking& ranking) {
    Figures coarse = bound.figures;
    coarse.cycles = bound.coarse_cycles;
    return ranking.rank(coarse);
  }

  void note_pruned(const Bound& bound, std::uint64_t arrays) {
    census_.pruned_arrays[static_cast<std::size_t>(bound.limit)] += arrays;
  }

  /// Whether a mapping of these bounds may be one of the best.
  static bool takes(const Figures& bounds, const Ranking& ranking, const BestMappings& best) {
    return best.takes(ranking.rank(bounds));
  }

  /// Counts so many arrays where they may not.
  bool may_be_taken(const Bound& bound, std::uint64_t arrays, const Ranking& ranking, const BestMappings& best) {
    const bool is_taken = takes(bound.figures, ranking, best);
    if (!is_taken) {
      note_pruned(bound, arrays);
    }
    return is_taken;
  }

  /// Prices the largest tiles of an array, streamed and resident, rows in even tiles: with the most filters a tile, the
  /// most of whole groups, and as few as make no more tiles. Once: what find_fast() found is as fast as any that it
  /// priced, and find_faster() is asked for less.
  void probe_array(BoundedArray& array, const Ranking& ranking, BestMappings& best) {
    if (array.is_probed) {
      return;
    }
    array.is_probed = true;
    dla_mapping mapping = array.mapping;
    const std::uint32_t least = dla_pooled(&shape_, mapping.e), all = dla_pooled(&shape_, output_rows(shape_));
    const std::uint32_t group = mapping.p * mapping.t;
    for (const bool resident : {true, false}) {
      mapping.ifmap_resident = resident;
      const std::uint32_t fit = most_windows(array, resident);
      if (fit < least) {
        continue;
      }
      const std::uint32_t row_tiles = dla_ceil_div(all, fit);
      mapping.e_glb = dla_pool_rows(&shape_, std::max(least, dla_ceil_div(all, row_tiles)));
      const std::uint32_t most = most_filters(machine_, shape_, mapping);
      if (!takes(bounds_.of_tiles(mapping, most).figures, ranking, best)) {
        continue;
      }
      std::set<std::uint32_t> tiles = {most};
      if (mapping.g == 0 && group < most && most < shape_.M) {
        const std::uint32_t even = dla_ceil_div(shape_.M, dla_ceil_div(shape_.M, most));
        tiles.insert({most / group * group, std::min(most, dla_ceil_div(even, group) * group)});
      }
      for (const std::uint32_t m : tiles) {
        mapping.m = m;
        try_places(mapping, ranking, best);
      }
    }
  }

  void try_array(BoundedArray& array, const Ranking& ranking, BestMappings& best) {
    dla_mapping mapping = array.mapping;
    const std::uint32_t least = dla_pooled(&shape_, mapping.e);
    const std::uint32_t most[] = {most_windows(array, false), most_windows(array, true)};
    for (std::uint32_t windows = std::max(most[0], most[1]); windows >= least; --windows) {
      mapping.e_glb = dla_pool_rows(&shape_, windows);
      std::optional<FilterTileBounds> tile_bounds;
      for (const bool resident : {true, false}) {
        if (windows <= most[resident]) {
          mapping.ifmap_resident = resident;
          try_tiles(mapping, tile_bounds, ranking, best);
        }
      }
    }
  }

  /// Why not even one filter fits with so many windows a tile, if none does.
  dla_error tile_error(dla_mapping mapping, std::uint32_t windows) const {
    dla_error error = kDlaErrorNone;
    mapping.e_glb = dla_pool_rows(&shape_, windows);
    most_filters(machine_, shape_, mapping, &error);
    return error;
  }

  /// The most windows a tile that fit, or one less than a strip has. What does not fit does not with more windows:
  /// those are counted.
  std::uint32_t most_windows(BoundedArray& array, bool resident) {
    const std::uint32_t least = dla_pooled(&shape_, array.mapping.e), all = dla_pooled(&shape_, output_rows(shape_));
    dla_mapping mapping = array.mapping;
    mapping.ifmap_resident = resident;
    if (resident && mapping.g != 0) {
      return least - 1;  // With whole groups, each filter tile has channels of its own.
    }
    if (shape_.ifmap_on_chip && !resident && mapping.g == 0) {
      return least - 1;  // Nothing is loaded: the same as resident.
    }
    std::optional<std::uint32_t>& most = array.most_windows[resident];
    most = most ? most : find_most_windows(mapping, least, all);
    census_.tilings += all - *most;
    if (counts_illegal_ && *most < all) {
      note_illegal(mapping, *most + 1, all);
    }
    return *most;
  }

  std::uint32_t find_most_windows(const dla_mapping& mapping, std::uint32_t least, std::uint32_t all) const {
    if (tile_error(mapping, least) != kDlaErrorNone) {
      return least - 1;
    }
    std::uint32_t legal = least, illegal = all + 1;
    for (std::uint32_t windows = all; legal + 1 < illegal; windows = (legal + illegal) / 2) {
      (tile_error(mapping, windows) == kDlaErrorNone ? legal : illegal) = windows;
    }
    return legal;
  }

  /// None of `from` to `to` windows fit. More break the same limit, or one that is looked at earlier.
  void note_illegal(const dla_mapping& mapping, std::uint32_t from, std::uint32_t to) {
    const dla_error error = tile_error(mapping, to);
    if (error == tile_error(mapping, from)) {
      census_.illegal_tilings[error] += to - from + 1;
      return;
    }
    const std::uint32_t between = (from + to) / 2;
    note_illegal(mapping, from, between);
    note_illegal(mapping, between + 1, to);
  }

  /// \param tile_bounds  Of the letters other than m and residency; made where they are asked for first.
  /// \pre one filter fits.
  void try_tiles(dla_mapping mapping, std::optional<FilterTileBounds>& tile_bounds, const Ranking& ranking,
                 BestMappings& best) {
    ++census_.tilings;
    const std::uint32_t most = most_filters(machine_, shape_, mapping);
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
    if (!tile_bounds) {
      tile_bounds.emplace(machine_, shape_, mapping);
    }
    tile_bounds->set_residency(mapping.ifmap_resident, bound);
    const std::uint32_t step = filter_tile_step(shape_, mapping);
    const auto takes_all = [&](const Figures& figures) { return takes(figures, ranking, best); };
    // First groups of more filters begin later: a bound leaves out all m of more.
    const std::uint32_t group = mapping.p * mapping.t;
    std::uint32_t taken = 0, left_out = std::min(most, group) + 1;
    while (taken + 1 < left_out) {
      const std::uint32_t between = taken == 0 && left_out > group ? left_out - 1 : (taken + left_out) / 2;
      (takes_all(tile_bounds->of_first(between)) ? taken : left_out) = between;
    }
    for (std::uint32_t m = most; m > 0; m = (m - 1) / step * step) {
      ++census_.filter_tiles;
      mapping.m = m;
      if (std::min(m, group) > taken) {
        ++census_.pruned_filter_tiles[limit];
        continue;
      }
      if (takes_all(tile_bounds->of_groups(m)) && takes_all(tile_bounds->of_passes(m)) &&
          takes_all(tile_bounds->of(m))) {
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
  bool counts_illegal_;
  LayerBounds bounds_;
  std::vector<BoundedFamily> families_;
  std::vector<BoundedArray*> visited_;  ///< By walk_arrays(), in their order.
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
std::vector<BestMappings::Ranked> find_equally_fast(Search& search, std::uint32_t slack_percent, std::size_t count) {
  std::vector<BestMappings::Ranked> best;
  std::optional<dla_mapping> fast = search.find_fast();
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

SearchResult run_search(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape, const Goal& goal,
                        std::size_t count, std::uint64_t most_cycles, bool counts_illegal) {
  if (!may_fit(machine, shape)) {
    return {};
  }
  const bool is_for_cycles = goal.objective == Objective::kCycles;
  Search search(machine, is_for_cycles ? nullptr : &costs, shape, counts_illegal);
  if (search.is_slower_than(most_cycles)) {
    return {};
  }
  const std::vector<BestMappings::Ranked> best = is_for_cycles ? find_equally_fast(search, goal.slack_percent, count)
                                                               : search.find_best({goal.objective, 0}, count).best();
  SearchResult result;
  for (const BestMappings::Ranked& found : best) {
    result.best.push_back(plan_mapping(machine, shape, found.mapping));
  }
  result.census = search.census();
  return result;
}

}  // namespace

SearchResult search_mappings(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape,
                             const Goal& goal, std::size_t count) {
  return run_search(machine, costs, shape, goal, count, UINT64_MAX, true);
}

std::vector<PlannedMapping> find_mappings(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape,
                                          const Goal& goal, std::size_t count, std::uint64_t most_cycles) {
  return run_search(machine, costs, shape, goal, count, most_cycles, false).best;
}

}  // namespace fovea
