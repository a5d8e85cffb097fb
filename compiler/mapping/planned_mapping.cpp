// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks each part in turn.
#include "planned_mapping.h"

namespace fovea {

PlannedMapping plan_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  PlannedMapping planned;
  planned.mapping = mapping;
  dla_plan_glb(&machine, &shape, &mapping, &planned.glb);
  planned.cost = price_mapping(machine, shape, mapping);
  planned.accesses = count_accesses(machine, shape, mapping, planned.cost.dram_bytes);
  return planned;
}

}  // namespace fovea
