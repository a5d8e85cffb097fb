// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lab's fixed mapping, for side-by-side figures.
#pragma once

#include <optional>

#include "planned_mapping.h"

namespace fovea {

/// e=8, p=4, q=4, r=1, t=2, psums of e rows, the ifmap streamed, and m the largest power of two up to M whose psums
/// (int32, e rows) fit the GLB beside one pass's ifmap and filters. Each of e, p, q, t is lowered where the shape or
/// the machine has less, and the ifmap is made resident where it can't be streamed. Nothing where that does not help.
std::optional<PlannedMapping> lab_mapping(const dla_machine& machine, const dla_shape& shape);

}  // namespace fovea
