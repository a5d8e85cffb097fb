// SPDX-License-Identifier: Apache-2.0
/// \file
/// Figures as tuples of numbers.
#include "objective.h"

namespace fovea {

std::string_view to_text(Objective objective) {
  constexpr std::string_view kNames[] = {"cycles", "dram", "energy", "edp"};
  return kNames[static_cast<int>(objective)];
}

Rank Ranking::rank(const Figures& figures) const {
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
