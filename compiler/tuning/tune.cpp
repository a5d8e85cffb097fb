// SPDX-License-Identifier: Apache-2.0
/// \file
/// Search, measure, record.
#include "tune.h"

#include <algorithm>

#include "mapping/mapper.h"

namespace fovea {

void tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count, const MeasureWith& with,
                TuningRecords& records) {
  const MachineFile& machine = mapper.machine();
  const AccessEnergy energy = machine.access_energy();
  const SearchResult found = search_mappings(machine.geometry, energy, shape, mapper.goal(), count);
  if (found.best.empty()) {
    return;
  }
  std::vector<dla_mapping> mappings;
  for (const PlannedMapping& plan : found.best) {
    mappings.push_back(plan.mapping);
  }
  const std::vector<std::uint64_t> cycles = measure_cycles(with, shape, mappings);
  const Ranking ranking{mapper.goal().objective, 0};
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    Figures figures = price_figures(machine.geometry, &energy, shape, mappings[i]);
    figures.cycles = cycles[i];
    ranks.push_back(ranking.rank(figures));
  }
  const auto best = static_cast<std::size_t>(std::min_element(ranks.begin(), ranks.end()) - ranks.begin());
  records.add({machine.name, machine_version(machine.geometry), mapper.goal().objective, shape, mappings[best],
               found.best[best].cost.cycles, cycles[best]});
}

}  // namespace fovea
