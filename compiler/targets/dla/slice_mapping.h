// SPDX-License-Identifier: Apache-2.0
/// \file
/// One mapping for all slices of a layer: its filters lie in memory once.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.h"

namespace fovea {

/// The GLB of a layer's slices: each region as large as the slice that needs most of it.
/// \param rows        Of the ofmap, of each slice; 0 where it has none.
/// \param kept_bytes  Of the GLB's front, which are left to tensors on chip.
/// \return kDlaErrorNone, or what does not fit.
dla_error plan_glb_of_slices(const dla_machine& machine, const dla_shape& shape, const std::vector<std::uint32_t>& rows,
                             const dla_mapping& mapping, std::uint32_t kept_bytes, dla_glb_plan& glb);

/// The shapes that choose_for_slices() asks a mapper for, so that they are mapped side by side: Mapper::prepare().
std::vector<dla_shape> shapes_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows);

/// The mapping that is best for the most frequent slice or for the largest one, whichever takes less in all. Its cost
/// is the sum of all slices'.
/// \param shape   Of all rows, with its planes.
/// \param mapper  Of the machine less the GLB that is kept (Mapper::beside).
MappingChoice choose_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows, Mapper& mapper);

}  // namespace fovea
