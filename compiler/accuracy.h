// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac accuracy`: compiles the networks, and hands them to the program that asks them.
#ifndef FOVEA_COMPILER_ACCURACY_H_
#define FOVEA_COMPILER_ACCURACY_H_

#include "command_line.h"

namespace fovea {

/// Compiles the network, and the one beside it for the CPU, and starts the program `accuracy`. \return its exit status.
/// \throws UserError where a network can't be compiled, or there is no such program.
int measure_accuracy(const CommandLine& line);

}  // namespace fovea

#endif  // FOVEA_COMPILER_ACCURACY_H_
