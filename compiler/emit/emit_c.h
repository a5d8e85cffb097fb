// SPDX-License-Identifier: Apache-2.0
/// \file
/// The C text of a planned network.
#pragma once

#include <string>

#include "network_plan.h"

namespace fovea {

/// A comment that says what a layer is, where it runs and why, then its TRY(...) calls; a view is a comment alone.
std::string emit_layer(const PlannedLayer& plan);

/// A freestanding C11 file that defines `const struct dla_model dla_model` (driver/runtime/dla_runtime.h): one
/// commented runtime call a layer, in the paper's letters. The same network and options give the same text.
std::string emit_c(const NetworkPlan& plan, dla_rounding rounding);

}  // namespace fovea
