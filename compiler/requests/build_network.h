// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a network's file to the folder of a compiled network that a program can load.
#pragma once

#include <filesystem>

#include "placement.h"

namespace fovea {

/// Compiles a network to C in a folder, and that with cc.
/// \return the folder; or the network's path where that is a folder, and so compiled already.
/// \throws UserError where it can't be compiled, or there is no C compiler.
std::filesystem::path build_network(const NetworkRequest& network, const std::filesystem::path& folder);

/// Compiles `folder`/model.c to model.so there with cc, for this computer. \param model  The network, for messages.
/// \throws UserError where there is no C compiler, or it fails.
void compile_code(const std::filesystem::path& model, const std::filesystem::path& folder);

}  // namespace fovea
