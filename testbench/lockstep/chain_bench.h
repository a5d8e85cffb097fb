// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chains on a bench: puts their lists into device memory, and takes the tensor that they make.
#pragma once

#include "chain.h"
#include "list_bench.h"

namespace fovea {

/// A chain's list in device memory.
struct PlacedChain {
  List list;
  uint32_t made = 0;  ///< Where the last tensor's planes are.
};

/// Puts the first tensor, room for the last, filters and entries into device memory; drops what was there before.
PlacedChain place(DeviceBench& bench, const Chain& chain, const ChainPlan& plan);

/// The planes of a tensor of a chain, all their rows; of one in DRAM without its address.
dla_planes planes_of(const dla_machine& machine, const Chain& chain, const ChainPlan& plan, uint32_t tensor);

/// The last tensor of a chain whose list has run. Expects that nothing was written between its planes.
std::vector<uint8_t> take_made(DeviceBench& bench, const Chain& chain, const ChainPlan& plan,
                               const PlacedChain& placed);

}  // namespace fovea
