// SPDX-License-Identifier: Apache-2.0
/// \file
/// The best legal mappings of a layer: all of them are considered, few are priced.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "layer_bounds.h"
#include "planned_mapping.h"

namespace fovea {

/// What became of the mappings of a layer.
struct SearchCensus {
  std::uint64_t arrays = 0;                            ///< Legal ways to fill the array: e, p, q, r, t, fold_rows.
  std::array<std::uint64_t, kLimits> pruned_arrays{};  ///< Those that a bound ruled out, by Limit.
  std::uint64_t tilings = 0;  ///< Ways to share the GLB looked at for the others: e_glb, residency.
  std::map<dla_error, std::uint64_t> illegal_tilings;        ///< Those where not even m = 1 fits, by region.
  std::array<std::uint64_t, kLimits> pruned_tilings{};       ///< By Limit.
  std::uint64_t filter_tiles = 0;                            ///< Values of m looked at for the others.
  std::array<std::uint64_t, kLimits> pruned_filter_tiles{};  ///< By Limit.
  std::array<std::uint64_t, kLimits> priced{};               ///< By Limit; the best is one of them.
};

struct SearchResult {
  std::vector<PlannedMapping> best;  ///< The best first; empty where no mapping is legal.
  SearchCensus census;
};

/// Finds the best mapping by the goal among all legal m, array_mappings(), e_glb and residencies, each with the
/// filter_places() there are. What a bound of layer_bounds.h rules out is skipped, so the result is that of an
/// exhaustive search (test: search_mapping_test.cpp); but for mappings that the cost model thinks faster than the bus
/// (Figures::array_cycles), which the bounds on DRAM reads and the store may rule out.
///
/// With Objective::kCycles, mappings up to same_cycles_as() the fastest are equally fast. Where there is one output
/// pixel (a fully connected layer), m is a multiple of p*t or the most that fit: others change the last few cycles
/// only, and there are thousands.
///
/// \param count  How many to find: the best of each of the `count` best kinds (best_mappings.h).
SearchResult search_mappings(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape,
                             const Goal& goal, std::size_t count = 1);

/// The same mappings without the census, which is quicker.
/// \param most_cycles  Nothing may be found where every mapping takes more.
std::vector<PlannedMapping> find_mappings(const dla_machine& machine, const AccessEnergy& costs, const dla_shape& shape,
                                          const Goal& goal, std::size_t count = 1,
                                          std::uint64_t most_cycles = UINT64_MAX);

/// The most cycles that count as equally fast: `slack_percent` more.
std::uint64_t same_cycles_as(std::uint64_t cycles, std::uint32_t slack_percent);

}  // namespace fovea
