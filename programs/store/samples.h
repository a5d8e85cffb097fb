// SPDX-License-Identifier: Apache-2.0
/// \file
/// The drawn pictures that ship, packed.
#ifndef FOVEA_PROGRAMS_STORE_SAMPLES_H_
#define FOVEA_PROGRAMS_STORE_SAMPLES_H_

#include <filesystem>

#include "cache.h"

namespace fovea {

/// The input.bin of models/samples, packed where it is not there yet. \throws UserError where they can't be read or
/// kept.
std::filesystem::path samples_file(const Say& say);

}  // namespace fovea

#endif  // FOVEA_PROGRAMS_STORE_SAMPLES_H_
