// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiled networks, kept: model.c, weight.bin, the summary and the IR as foveac writes them, and model.so.
#pragma once

#include <filesystem>

#include "cache.h"
#include "requests/placement.h"

namespace fovea {

/// The text of foveac's table of layers, in the folder of a compiled network.
constexpr const char* kLayersText = "foveac.log";

/// The folder of a compiled network, which is compiled where it is not there yet. It follows from the bytes of the
/// model and of the files that it names, the options, the machine and the records, the compiler, its headers and cc.
/// Where mappings are to be ranked anew, that is done first, and added to the records.
/// \param say  Told what is compiled, and what is waited for.
/// \throws UserError or MachineError where something can't be read, compiled or kept.
std::filesystem::path compiled_network(const NetworkRequest& network, const Say& say);

/// Whether a folder is a compiled network of the cache, as it was made.
bool is_kept(const std::filesystem::path& network);

/// What foveac printed when it compiled the network in that folder.
std::string layers_text(const std::filesystem::path& network);

/// A path as a person would type it: relative where it is below the working folder.
std::filesystem::path shown(const std::filesystem::path& path);

}  // namespace fovea
