// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a network's file to the folder of a compiled network that a program can load.
#pragma once

#include <filesystem>
#include <string>

#include "command_line.h"

namespace fovea {

/// Compiles `network` as the line says, for the CPU or for the accelerator as `backend` does, and its C with cc.
/// \param backend  "cpu", or what carries the accelerator.
/// \param folder   Where to.
/// \return `folder`; or `network` where that is a folder, and so compiled already.
/// \throws UserError where it can't be compiled, or there is no C compiler.
std::filesystem::path build_network(const CommandLine& line, const std::filesystem::path& network,
                                    const std::string& backend, const std::filesystem::path& folder);

/// Compiles `folder`/model.c to model.so there with cc, for this computer. \param model  The network, for messages.
/// \throws UserError where there is no C compiler, or it fails.
void compile_code(const std::filesystem::path& model, const std::filesystem::path& folder);

}  // namespace fovea
