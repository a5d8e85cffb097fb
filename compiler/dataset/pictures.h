// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads one picture file and stretches pictures.
#pragma once

#include <filesystem>

#include "dataset.h"

namespace fovea {

/// Whether a file's name ends like a picture's.
bool is_picture_name(const std::filesystem::path& path);

/// Reads PNG, JPEG, PPM or PGM, whatever the file is called. Alpha is dropped, grey becomes RGB, 16 bits stay 16. It
/// takes up to kMostPictureBytes (picture_builder.h). \throws UserError where it is no picture, damaged, cut off or
/// larger.
Picture read_picture(const std::filesystem::path& path);

/// Stretches bilinearly: pixel centres at halves, edges repeated.
Picture stretch_picture(const Picture& picture, PictureSize size);

}  // namespace fovea
