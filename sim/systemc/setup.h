// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks a layer command as the device does.
#pragma once

#include "layer_plan.h"

namespace fovea {

/// \return the first cause to refuse the command; kDlaErrorNone: the layer may run.
dla_error check_command(const dla_machine& machine, const LayerWords& words);

}  // namespace fovea
