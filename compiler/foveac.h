// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiler's commands, and foveac.
#pragma once

#include "command_line.h"

namespace fovea {

/// Commands that run networks, which the compiler does not: each prints what it found. \return the exit status.
struct RunningCommands {
  int (*measure_accuracy)(const CommandLine& line);
  int (*compare_networks)(const CommandLine& line);
};

/// Does what a command line says; results go to standard output. \return 0: done; 1: the answer is no.
/// \throws UserError or MachineError where the input can't be used.
int run_command(const CommandLine& line, const RunningCommands& running);

/// foveac's main(). \return 0: done; 1: the input can't be used, or a bug; 2: the command line makes no sense.
int run_foveac(int argc, const char* const* argv, const RunningCommands& running);

}  // namespace fovea
