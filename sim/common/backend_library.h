// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device as a shared library: its name, its one entry, and how it is found and loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "backend.h"

namespace fovea {

/// What a library exports, as `fovea_<backend>_open`, beside its version (backend_version.c). \throws BackendError
/// where the options do not suit the library.
using BackendOpenFunction = Backend*(const BackendOptions&);

/// Which build of a machine's library the options ask for: "", "_checked", "_vcd" or "_fst".
/// \pre The waves have an extension. \throws BackendError for waves and checks at once.
std::string library_variant(const BackendOptions& options);

/// Loads `libfovea_<backend>_<machine><variant>.so` and opens its device. The library stays loaded.
/// \throws BackendError that names the file and how to build it, also where it is of another version.
std::unique_ptr<Backend> open_machine_library(const std::string& backend, const BackendOptions& options);

/// Loads `libfovea_<backend>.so`, which knows all machines, and opens its device. The library stays loaded.
/// \throws BackendError that names the file and how to build it, also where it is of another version.
std::unique_ptr<Backend> open_common_library(const std::string& backend, const BackendOptions& options);

}  // namespace fovea
