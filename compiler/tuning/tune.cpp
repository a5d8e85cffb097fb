// SPDX-License-Identifier: Apache-2.0
/// \file
/// Search, walk, record.
#include "tune.h"

namespace fovea {

std::optional<TuningRecord> tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count,
                                       const std::string& dram) {
  const MachineFile& machine = mapper.machine();
  const AccessEnergy energy = machine.access_energy();
  const DramPreset& memory = memory_of(machine, dram);
  const Ranking ranking{mapper.goal().objective, 0};
  std::optional<TuningRecord> best;
  Rank best_rank{};
  for (const PlannedMapping& plan : find_mappings(machine.geometry, energy, shape, mapper.goal(), count)) {
    Figures figures = price_figures(machine.geometry, &energy, shape, plan.mapping);
    figures.cycles = predict_layer(machine.geometry, shape, plan.mapping, memory).cycles;
    const Rank rank = ranking.rank(figures);
    if (!best || rank < best_rank) {
      best = {
          machine.name,  machine_version(machine.geometry), mapper.goal().objective, memory.name, shape, plan.mapping,
          figures.cycles};
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace fovea
