// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapping is chosen by: figures of a mapping, and the order that an objective puts them in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fovea {

/// What is made small.
enum class Objective {
  kCycles,  ///< Cycles; some of them are given for fewer DRAM bytes (Goal::slack_percent).
  kDram,    ///< DRAM bytes, read and written.
  kEnergy,  ///< Energy by the machine file's costs.
  kEdp,     ///< Energy times cycles.
};

inline constexpr Objective kObjectives[] = {Objective::kCycles, Objective::kDram, Objective::kEnergy, Objective::kEdp};

/// What a search is after.
struct Goal {
  Goal(Objective what = Objective::kCycles, std::uint32_t slack = 2) : objective(what), slack_percent(slack) {}

  Objective objective;
  std::uint32_t slack_percent;  ///< kCycles: mappings that take this many percent longer than the fastest are as good.
};

/// "cycles", "dram", "energy", "edp".
std::string_view to_text(Objective objective);

/// Figures of a mapping, or of many: then none of them has smaller ones, nor more filter buffers.
struct Figures {
  std::uint64_t cycles = 0, dram_bytes = 0, passes = 0;
  double energy = 0;  ///< In multiples of a MAC's.
  std::uint32_t filter_buffers = 0;
  /// Cycles again; of many mappings, fewer where reads from DRAM or the store bind: what repeats in the cost model goes
  /// on as it began, which may be faster than the bus.
  std::uint64_t array_cycles = 0;
};

/// Smaller is better, the first number that differs decides. Never larger for figures that are nowhere larger.
using Rank = std::array<double, 5>;

/// An objective, and the cycles up to which kCycles takes mappings for equally fast.
struct Ranking {
  Objective objective = Objective::kCycles;
  std::uint64_t same_cycles = 0;

  /// kCycles: of equally fast mappings the one with the fewest DRAM bytes, then passes; of others the fastest. Loads
  /// are asked for a few passes ahead, so few long passes stand a slow memory best. kDram: DRAM bytes, of equal ones
  /// the least energy times cycles. kEnergy and kEdp: what their names say, then cycles.
  Rank rank(const Figures& figures) const;
};

/// In the header, as bounds are ranked by the million.
inline Rank Ranking::rank(const Figures& figures) const {
  const auto cycles = static_cast<double>(figures.cycles), dram = static_cast<double>(figures.dram_bytes);
  const double edp = figures.energy * cycles;
  const double buffers = -static_cast<double>(figures.filter_buffers);
  switch (objective) {
    case Objective::kDram:
      return {dram, edp, cycles, buffers};
    case Objective::kEnergy:
      return {figures.energy, cycles, dram, buffers};
    case Objective::kEdp:
      return {edp, cycles, dram, buffers};
    case Objective::kCycles:
      break;
  }
  const auto passes = static_cast<double>(figures.passes);
  return figures.cycles <= same_cycles ? Rank{0, dram, passes, cycles, buffers}
                                       : Rank{1, cycles, dram, passes, buffers};
}

}  // namespace fovea
