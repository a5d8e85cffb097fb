// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the Python of scripts/report, which draws what fovea has measured.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands/python_package.h"

namespace fovea {

/// A program of scripts/report and its arguments, as they are started.
std::vector<std::string> script_words(const std::string& name, const std::vector<std::string>& arguments);

/// Runs a program of scripts/report, for ten minutes at most. \throws UserError in the one line that it refuses its
/// input with, or where Debian's Python or its packages are not here.
void run_script(const std::string& name, const std::vector<std::string>& arguments);

/// The command of a subcommand that makes a page again: the options that are not at their defaults.
std::string command_of(const std::string& subcommand, const CLI::App& app);

}  // namespace fovea
