// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures the best few mappings of a layer and keeps the one that is the best by what was measured.
#pragma once

#include "mapping/mapper.h"
#include "measure.h"
#include "records.h"

namespace fovea {

/// Adds a record of the best, by the mapper's objective and measured cycles, of the `count` mappings of a shape that
/// the model takes for the best; nothing where none is legal. By Objective::kCycles that is the fastest. \throws
/// UserError where the simulator can't be run.
void tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count, const MeasureWith& with,
                TuningRecords& records);

}  // namespace fovea
