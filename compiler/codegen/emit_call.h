// SPDX-License-Identifier: Apache-2.0
/// \file
/// The C text of one layer's runtime calls.
#ifndef FOVEA_COMPILER_CODEGEN_EMIT_CALL_H_
#define FOVEA_COMPILER_CODEGEN_EMIT_CALL_H_

#include <string>

#include "network_plan.h"

namespace fovea {

/// A comment that says what the layer is, where it runs and why, then its TRY(...) calls; a view is a comment alone.
std::string emit_layer(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding);

}  // namespace fovea

#endif  // FOVEA_COMPILER_CODEGEN_EMIT_CALL_H_
