// SPDX-License-Identifier: Apache-2.0
/// \file
/// Search, measure, record.
#include "tune.h"

#include <algorithm>

#include "search_mapping.h"

namespace fovea {

void tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count, const MeasureWith& with,
                TuningRecords& records) {
  const MachineFile& machine = mapper.machine();
  const SearchResult found = search_mappings(machine.geometry, machine.energy, shape, mapper.objective(), count);
  if (found.best.empty()) {
    return;
  }
  std::vector<dla_mapping> mappings;
  for (const PlannedMapping& plan : found.best) {
    mappings.push_back(plan.mapping);
  }
  const std::vector<std::uint64_t> cycles = measure_cycles(with, shape, mappings);
  const auto fastest = static_cast<std::size_t>(std::min_element(cycles.begin(), cycles.end()) - cycles.begin());
  records.add({machine.name, machine_version(machine.geometry), shape, mappings[fastest],
               found.best[fastest].cost.cycles, cycles[fastest]});
}

}  // namespace fovea
