// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands that other programs do: the Python package, above all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fovea {

inline constexpr const char* kPython = "/usr/bin/python3";  ///< Debian's: it has Debian's modules.

/// Becomes a program, by its path and arguments: it may take hours, and whoever ends this one, ends that.
[[noreturn]] void become(std::vector<std::string> words);

/// Becomes `python3 -m fovea` with a command and the options that were typed. \throws UserError where the package is
/// not here.
[[noreturn]] void become_python(const std::string& command, const CLI::App& app);

}  // namespace fovea
