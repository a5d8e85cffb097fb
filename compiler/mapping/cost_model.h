// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapped layer costs: predicted cycles by cause and DRAM bytes by tensor, from closed formulas in the paper's
/// letters.
#pragma once

#include <cstdint>

#include "filter_group.h"
#include "spec/dla_layer.h"
#include "spec/dram_preset.h"

namespace fovea {

/// Price of a layer.
struct LayerCost {
  std::uint64_t cycles = 0;  ///< From START to DONE: the sum of the causes.
  CyclesByCause causes;
  DramBytes dram_bytes;

  LayerCost& operator+=(const LayerCost& other) {
    cycles += other.cycles;
    add(causes, other.causes);
    dram_bytes += other.dram_bytes;
    return *this;
  }
};

/// From START until the first load may be asked for, whatever the layer.
std::uint64_t start_cycles(const dla_machine& machine);

/// Price of a layer on the default DRAM, by formulas that are quick enough to search with. \pre dla_check_mapping()
/// found no error. Does not depend on where the tensors lie in the GLB, so a mapping can be priced before it is
/// planned. Bytes are exact; for cycles see reports/prediction.md. docs/compiler.md says how the cycles are counted.
LayerCost price_mapping(const MappedLayer& layer);

/// What the layer takes with a memory: the bytes of price_mapping(), and cycles by walking its passes (layer_walk.h).
LayerCost predict_layer(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                        const DramPreset& dram, const FirstBytes& first = {});

}  // namespace fovea
