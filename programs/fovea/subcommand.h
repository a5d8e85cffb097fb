// SPDX-License-Identifier: Apache-2.0
/// \file
/// The subcommands of fovea that are not the compiler's: a function each, in the file of its name.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace fovea {

/// Does what was typed. \return 0: done; 1: the answer is no. \throws UserError, or MachineError, for bad input.
using Action = std::function<int()>;

/// Describes a subcommand's options to CLI11. \return what is done once they are parsed, which holds them.
using Describe = Action(CLI::App& app);

Describe describe_build, describe_clean, describe_completion, describe_doctor, describe_lockstep, describe_machines,
    describe_man, describe_report, describe_run, describe_sensitivity, describe_trace, describe_waves;

/// Prints a line for a person on standard error.
void say_line(const std::string& line);

}  // namespace fovea
