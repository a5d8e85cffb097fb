// SPDX-License-Identifier: Apache-2.0
/// \file
/// The ways in which a pass may fill the array: the upper half of the space of mappings.
#ifndef FOVEA_COMPILER_MAPPING_CANDIDATES_H_
#define FOVEA_COMPILER_MAPPING_CANDIDATES_H_

#include <cstdint>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// Output rows that are computed: rounded down to even with pooling.
std::uint32_t output_rows(const dla_shape& shape);

/// All legal e, p, q, r and t, none larger than the layer can make use of. The rest of each mapping is one tile over
/// everything: m = M, e_glb = E, resident, two filter buffers.
std::vector<dla_mapping> array_mappings(const dla_machine& machine, const dla_shape& shape);

/// Least demanding mapping of a shape.
dla_mapping smallest_mapping(const dla_shape& shape);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_CANDIDATES_H_
