// SPDX-License-Identifier: Apache-2.0
/// \file
/// The subcommands of fovea that are not the compiler's: a function each, in the file of its name.
#pragma once

#include <span>
#include <string>

#include "commands/command.h"
#include "commands/foveac.h"

namespace fovea {

Describe describe_accuracy, describe_build, describe_clean, describe_compare, describe_completion, describe_doctor,
    describe_explore, describe_help, describe_lockstep, describe_machines, describe_man, describe_report, describe_run,
    describe_sensitivity, describe_trace, describe_waves;

/// A subcommand.
struct Subcommand {
  CommandRow command;
  const char* group;  ///< In the list of all.
  const char* example;
};

/// fovea's main(), with these subcommands.
/// \return 0: done; 1: the answer is no, the input can't be used, or a bug; 2: the command line makes no sense.
int run_fovea(int argc, const char* const* argv, std::span<const Subcommand> rows);

/// Prints a line for a person on standard error.
void say_line(const std::string& line);

}  // namespace fovea
