// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands that the Python package does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fovea {

inline constexpr const char* kPython = "/usr/bin/python3";  ///< Debian's: it has Debian's modules.

/// Becomes `python3 -m fovea` with a command and the options that were typed: it may take hours, and whoever ends this
/// one, ends that. \throws UserError where the package is not here.
[[noreturn]] void become_python(const std::string& command, const CLI::App& app);

}  // namespace fovea
