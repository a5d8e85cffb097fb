// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shells' completion of a program, from its description to CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <vector>

namespace fovea {

/// The subcommands that its help shows.
std::vector<CLI::App*> subcommands_of(CLI::App& app);

/// A script that the shell reads: it offers subcommands, their options, and what an option may be: its choices, the
/// machines that ship, or files.
void print_bash_completion(CLI::App& app, std::ostream& out);
void print_zsh_completion(CLI::App& app, std::ostream& out);
void print_fish_completion(CLI::App& app, std::ostream& out);

}  // namespace fovea
