// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads numpy's .npy files.
#pragma once

#include <filesystem>

#include "tensor/tensor.h"

namespace fovea {

/// Reads a file of numpy.save(): versions 1 to 3, little endian, C order, elements bool, uint8, int8, int32, int64,
/// float32, or float64, which becomes the nearest float32. Source: numpy.lib.format. \throws UserError in one line that
/// names the file and what would work.
Tensor read_npy(const std::filesystem::path& path);

}  // namespace fovea
