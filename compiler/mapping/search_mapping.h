// SPDX-License-Identifier: Apache-2.0
/// \file
/// The best legal mapping by enumeration.
#ifndef FOVEA_COMPILER_MAPPING_SEARCH_MAPPING_H_
#define FOVEA_COMPILER_MAPPING_SEARCH_MAPPING_H_

#include <optional>

#include "mapping.h"

namespace fovea {

/// Of the mappings of candidates.h that take the fewest cycles, or hardly more, the one with the least DRAM traffic;
/// nothing where none is legal. Array mappings are taken in the order of the cycles in which their PEs multiply, a
/// bound on what any use of the GLB costs, so most are never priced.
std::optional<PlannedMapping> search_mapping(const dla_machine& machine, const dla_shape& shape);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_SEARCH_MAPPING_H_
