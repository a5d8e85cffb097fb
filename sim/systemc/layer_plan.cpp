// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stays the same while a layer runs: the command, its passes, and lengths in GLB words.
#include "layer_plan.h"

namespace fovea {

LayerPlan::LayerPlan(const dla_machine& of_machine, const dla_layer& of_layer)
    : machine(of_machine),
      layer(of_layer),
      passes(dla_derive_passes(&machine, &layer.shape, &layer.mapping)),
      ifmap(dla_planes_of(&machine, &layer, kDlaIfmap)),
      ofmap(dla_planes_of(&machine, &layer, kDlaOfmap)),
      residual(dla_planes_of(&machine, &layer, kDlaResidual)),
      ifmap_base_word(layer.glb.ifmap.base_bytes / machine.bus_bytes),
      ifmap_column_words(layer.glb.ifmap.size_bytes / machine.bus_bytes / passes.ifmap_columns),
      filter_base_word(layer.glb.filter.base_bytes / machine.bus_bytes),
      residual_base_word(layer.glb.residual.base_bytes / machine.bus_bytes) {}

}  // namespace fovea
