// SPDX-License-Identifier: Apache-2.0
/// \file
/// C files of targets that a user adds.
#pragma once

#include <string>
#include <vector>

#include "targets/target.h"

namespace fovea {

/// Compiles each source once to see whether it can be. \param compiler  "", or one that is not there: none is.
/// \throws UserError with what the compiler said first.
void check_files(const std::vector<NamedTarget>& targets, const std::string& compiler);

}  // namespace fovea
