// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a network runs on.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fovea {

/// On what: a carrier of the accelerator, or "cpu".
void add_backend_option(CLI::App& app, const std::string& name, std::string& backend, const std::string& description);

}  // namespace fovea
