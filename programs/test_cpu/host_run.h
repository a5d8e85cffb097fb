// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network with the driver's CPU kernels.
#pragma once

#include <iostream>

#include "program/program.h"

namespace fovea {

/// Runs as the options say and prints answers to `given`. \throws UserError for bad input.
void run_on_host(const ProgramOptions& options, std::ostream& given = std::cout);

}  // namespace fovea
