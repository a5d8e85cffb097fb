// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a file of waves was written to its end: its writer does not say when a disk is full.
#pragma once

#include <filesystem>

namespace fovea {

/// Whether a file is one block of FST after another to its last byte, all finished, with the names of its signals,
/// which are written last. (Block types and lengths: fstapi.h of GTKWave.)
bool is_whole_fst(const std::filesystem::path& path);

}  // namespace fovea
