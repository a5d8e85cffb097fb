// SPDX-License-Identifier: Apache-2.0
/// \file
/// The matrix unit of gemm8.h as a target of the compiler.
#pragma once

#include "targets/target.h"

namespace fovea {

/// For a row {"gemm8", make_gemm8_target} of a table of targets.
std::shared_ptr<Target> make_gemm8_target(const TargetOptions& options);

}  // namespace fovea
