// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cycles of a mapped layer by walking its passes: every wait of docs/timing.md, with any memory.
#pragma once

#include "dram_traffic.h"
#include "pass_timing.h"
#include "spec/dla_layer.h"
#include "spec/dram_preset.h"

namespace fovea {

/// Cycles by cause, from START to DONE. \pre dla_check_mapping() found no error.
/// Walks loads, filter sets, passes and output tiles in the order of dla_schedule.h, so it takes time with their
/// number: it prices the mapping that was chosen, and price_mapping() those to choose from. Tensors lie at multiples of
/// 4 KiB, and `first` bytes behind; where they really lie matters little, and only to memories with rows.
CyclesByCause walk_layer(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                         const DramPreset& dram, const FirstBytes& first);

}  // namespace fovea
