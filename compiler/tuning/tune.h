// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures the best few mappings of a layer and keeps the fastest.
#ifndef FOVEA_COMPILER_TUNING_TUNE_H_
#define FOVEA_COMPILER_TUNING_TUNE_H_

#include "mapper.h"
#include "measure.h"
#include "records.h"

namespace fovea {

/// Adds a record of the fastest of the `count` best mappings of a shape; nothing where none is legal.
/// \throws UserError where the simulator can't be run.
void tune_shape(const Mapper& mapper, const dla_shape& shape, std::size_t count, const MeasureWith& with,
                TuningRecords& records);

}  // namespace fovea

#endif  // FOVEA_COMPILER_TUNING_TUNE_H_
