// SPDX-License-Identifier: Apache-2.0
/// \file
/// One mapping for all slices of a layer: its filters lie in memory once. And the GLB of layers beside what stays.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.h"
#include "residency.h"

namespace fovea {

/// The shapes that choose_for_slices() asks a mapper for, so that they are mapped side by side: Mapper::prepare().
std::vector<dla_shape> shapes_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows);

/// The mapping that is best for the most frequent slice or for the largest one, whichever takes less in all. Its cost
/// is the sum of all slices'.
/// \param shape   Of all rows, with its planes. With filters on chip, each slice but the first finds them there.
/// \param mapper  Of the machine less the GLB that is kept (Mapper::beside).
MappingChoice choose_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows, Mapper& mapper);

/// What all slices of a layer take with a memory.
/// \param shape  Of all rows, with its planes.   \param rows  Of the ofmap, of each slice; 0 where it has none.
PlannedMapping plan_slices(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const DramPreset& dram, const std::vector<std::uint32_t>& rows);

/// The regions of a layer that has a mapping beside what stays on chip. That of an ifmap on chip is the banks that it
/// lies in; others are as large as the slice that needs most of them.
dla_glb_plan plan_glb_beside(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan,
                             const LayerResidency& where);

}  // namespace fovea
