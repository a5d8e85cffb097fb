// SPDX-License-Identifier: Apache-2.0
/// \file
/// The drawn pictures that ship, packed.
#pragma once

#include <filesystem>

#include "cache.h"

namespace fovea {

/// The input.bin of models/samples, packed where it is not there yet. \throws UserError where they can't be read or
/// kept.
std::filesystem::path samples_file(const Say& say);

}  // namespace fovea
