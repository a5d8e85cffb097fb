// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads one picture file and stretches pictures.
#ifndef FOVEA_COMPILER_DATASET_PICTURES_H_
#define FOVEA_COMPILER_DATASET_PICTURES_H_

#include <filesystem>

#include "dataset.h"

namespace fovea {

/// Whether a file's name ends like a picture's.
bool is_picture_name(const std::filesystem::path& path);

/// Reads png, jpg, ppm, pgm or bmp. Alpha is dropped, grey becomes RGB. \throws UserError where it is no picture.
Picture read_picture(const std::filesystem::path& path);

/// Stretches bilinearly: pixel centres at halves, edges repeated.
Picture stretch_picture(const Picture& picture, PictureSize size);

}  // namespace fovea

#endif  // FOVEA_COMPILER_DATASET_PICTURES_H_
