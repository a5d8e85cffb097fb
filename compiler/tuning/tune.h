// SPDX-License-Identifier: Apache-2.0
/// \file
/// Ranks the best few mappings of a layer for a memory.
#pragma once

#include <optional>
#include <string>

#include "mapping/mapper.h"
#include "records.h"

namespace fovea {

/// Of the `count` mappings of a shape that the search takes for the best, the best by the mapper's objective and by the
/// cycles that they take on that memory; nothing where none is legal. By Objective::kCycles that is the fastest.
/// \param dram  For memory_of().
std::optional<TuningRecord> tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count,
                                       const std::string& dram);

}  // namespace fovea
