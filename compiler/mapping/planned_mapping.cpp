// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks each part in turn.
#include "planned_mapping.h"

#include "spec/dla_schedule.h"

namespace fovea {

PlannedMapping plan_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  PlannedMapping planned;
  planned.mapping = mapping;
  dla_plan_glb(&machine, &shape, &mapping, &planned.glb);
  planned.cost = predict_layer(machine, shape, mapping, dram_preset(dram_preset_names().front()));
  planned.accesses = count_accesses(machine, shape, mapping, planned.cost.dram_bytes);
  return planned;
}

Figures price_figures(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape,
                      const dla_mapping& mapping) {
  const MappedLayer layer(machine, shape, mapping);
  const LayerCost cost = price_mapping(layer);
  const dla_passes& passes = layer.passes;
  const std::uint64_t strips = dla_count_pieces(dla_loop_of(&shape, &mapping, &passes, kDlaStrips));
  const std::uint64_t groups = dla_count_pieces(dla_loop_of(&shape, &mapping, &passes, kDlaGroups));
  Figures figures = {cost.cycles,
                     cost.dram_bytes.total(),
                     strips * groups * dla_group_turns(&shape, &mapping) * passes.c_chunks * passes.folds,
                     0,
                     mapping.filter_buffers,
                     cost.cycles};
  if (costs != nullptr) {
    figures.energy = price_energy(*costs, count_accesses(machine, shape, mapping, cost.dram_bytes)).total();
  }
  return figures;
}

}  // namespace fovea
