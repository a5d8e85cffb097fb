// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mappings worth pricing: how the array may be filled, and how the GLB may be shared.
#ifndef FOVEA_COMPILER_MAPPING_CANDIDATES_H_
#define FOVEA_COMPILER_MAPPING_CANDIDATES_H_

#include <cstdint>
#include <vector>

#include "dla_layer.h"

namespace fovea {

/// The smallest piece for each number of pieces that `total` can be cut into, pieces at most `limit`; ascending.
/// tile_sizes(8, 8) is 1, 2, 3, 4, 8: 5 makes as many pieces as 4, so it is left out.
std::vector<std::uint32_t> tile_sizes(std::uint32_t total, std::uint32_t limit);

/// Legal ways to fill the array: e, p, q, r, t. The rest of each mapping is one tile over everything (m = M, e_glb = E
/// rounded down to whole e, resident), which prices the array alone.
std::vector<dla_mapping> array_mappings(const dla_machine& machine, const dla_shape& shape);

/// Ways to keep `array` (one of array_mappings()) in the GLB that dla_plan_glb() accepts: e_glb, resident or
/// streamed, and for each the fewest equal tiles of m. May be empty.
std::vector<dla_mapping> glb_mappings(const dla_machine& machine, const dla_shape& shape, const dla_mapping& array);

/// Least demanding mapping of a shape: where it does not fit, none does.
dla_mapping smallest_mapping(const dla_shape& shape);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_CANDIDATES_H_
