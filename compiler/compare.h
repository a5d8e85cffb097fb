// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac compare`: compiles what is a network, and hands both sides to the program that compares.
#ifndef FOVEA_COMPILER_COMPARE_H_
#define FOVEA_COMPILER_COMPARE_H_

#include "command_line.h"

namespace fovea {

/// Compiles each side that is a file, for the CPU or for the accelerator as its backend says, its C with cc, and starts
/// the program `compare`. \return its exit status.
/// \throws UserError where a network can't be compiled, or there is no such program.
int compare_networks(const CommandLine& line);

}  // namespace fovea

#endif  // FOVEA_COMPILER_COMPARE_H_
