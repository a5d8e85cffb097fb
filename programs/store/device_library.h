// SPDX-License-Identifier: Apache-2.0
/// \file
/// Libraries of simulated devices, built where they are missing: a machine's verilated RTL takes minutes, once.
#pragma once

#include <filesystem>
#include <string>

#include "cache.h"
#include "common/backend.h"

namespace fovea {

/// The folder that has the library that open_backend(`backend`, `options`) loads: its library_dir. What all machines
/// share is there already. In a build folder its own CMake builds the rest, and looks for changes of the sources;
/// where Fovea is installed it is built in the cache, once for all machines of the same bytes.
/// \param machine  The file of options.machine.
/// \param say      Told what is built, how far it is, and what is waited for.
/// \throws UserError in one line that names what failed and the log of all that was said; BackendError for waves and
/// checks at once.
std::filesystem::path device_library_folder(const std::string& backend, const std::filesystem::path& machine,
                                            const BackendOptions& options, const Say& say);

}  // namespace fovea
