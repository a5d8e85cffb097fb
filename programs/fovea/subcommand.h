// SPDX-License-Identifier: Apache-2.0
/// \file
/// The subcommands of fovea that are not the compiler's: a function each, in the file of its name.
#pragma once

#include <string>

#include "commands/command.h"

namespace fovea {

Describe describe_accuracy, describe_build, describe_clean, describe_compare, describe_completion, describe_doctor,
    describe_explore, describe_help, describe_lockstep, describe_machines, describe_man, describe_report, describe_run,
    describe_sensitivity, describe_trace, describe_waves;

/// Prints a line for a person on standard error.
void say_line(const std::string& line);

}  // namespace fovea
