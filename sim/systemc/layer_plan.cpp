// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stays the same while a layer runs: the command, its passes, and lengths in GLB words.
#include "layer_plan.h"

#include <algorithm>

namespace fovea {

LayerPlan::LayerPlan(const dla_machine& of_machine, const dla_layer& of_layer)
    : machine(of_machine),
      layer(of_layer),
      passes(dla_derive_passes(&machine, &layer.shape, &layer.mapping)),
      lanes(dla_psum_net_words(&machine)) {
  const dla_shape& s = layer.shape;
  const dla_mapping& m = layer.mapping;
  segment_rows = m.r * passes.fold_rows;
  chunk_channels = m.q * m.r;
  pass_filters = m.p * m.t;
  ifmap_plane = s.H * s.W;
  ofmap_plane = passes.ofmap_rows * passes.ofmap_cols;
  ifmap_base_word = layer.glb.ifmap.base_bytes / machine.bus_bytes;
  ifmap_quarter_words = layer.glb.ifmap.size_bytes / machine.bus_bytes / 4;
  ifmap_buffer_words = m.ifmap_resident ? 0 : (chunk_channels + 3) / 4 * passes.ifmap_plane_words;
  filter_base_word = layer.glb.filter.base_bytes / machine.bus_bytes;
  filter_buffer_words = passes.filter_chunk_bytes / machine.bus_bytes;
  new_cols = std::min(s.S, s.U);
}

}  // namespace fovea
