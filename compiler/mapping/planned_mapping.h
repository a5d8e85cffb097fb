// SPDX-License-Identifier: Apache-2.0
/// \file
/// A mapping with everything that follows from it.
#pragma once

#include "access_counts.h"
#include "cost_model.h"
#include "objective.h"
#include "spec/dla_layer.h"

namespace fovea {

/// A mapping with its place in the GLB and what it takes.
struct PlannedMapping {
  dla_mapping mapping{};
  dla_glb_plan glb{};
  LayerCost cost;
  AccessCounts accesses;
};

/// Plans the GLB for a mapping and predicts what it takes on the default DRAM. \pre dla_check_mapping() and
/// dla_plan_glb() accept it.
PlannedMapping plan_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

/// The figures that mappings are compared by. \param costs  Null where the energy does not count: then it is 0.
Figures price_figures(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape,
                      const dla_mapping& mapping);

}  // namespace fovea
