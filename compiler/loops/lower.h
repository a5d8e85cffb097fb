// SPDX-License-Identifier: Apache-2.0
/// \file
/// From definitions to loops.
#pragma once

#include <string>
#include <vector>

#include "nest.h"
#include "ops/definition.h"

namespace fovea {

/// Loops that compute a definition: a loop an axis of the result, sums in registers. Where float32 gives what real
/// numbers would, rounded, it is computed in float32, else in float64; functions take and give float32.
/// \param names   Of the inputs, in order; C identifiers other than "y", "i<n>", "k<n>" and "t<n>".
/// \return A nest of the inputs, the output "y" of that type, and registers; verify_nest() holds.
Nest lower(std::string name, const Definition& definition, const std::vector<std::string>& names,
           const TensorType& result);

}  // namespace fovea
