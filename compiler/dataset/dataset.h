// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes input.bin, the programs' picture file, from folders of pictures or official CIFAR-10 batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Height and width of the pictures.
struct PictureSize {
  std::uint32_t height = 0, width = 0;
  bool operator==(const PictureSize&) const = default;
};

/// One picture: RGB planes of pixel/255, [3, H, W] float32.
struct Picture {
  PictureSize size;
  std::vector<float> planes;
};

/// Pictures of one class, in order.
struct PictureClass {
  std::string name;
  std::vector<Picture> pictures;
};

struct DatasetOptions {
  /// One folder, or any number of CIFAR-10 binary batches (3073-byte rows). In a folder, a class is a sub-folder with
  /// its name, or else the part of a file's name before the last '_' ("horse_9.png"); classes are in order of name,
  /// pictures in order of name with numbers by value. png, jpg, jpeg, ppm, pgm.
  std::vector<std::filesystem::path> sources;
  std::filesystem::path output;
  std::optional<std::uint32_t> per_class;  ///< Pictures a class; without it, as many as the smallest class has.
  std::optional<PictureSize> size;         ///< Stretched bilinearly to this; without it, all must have one size.
  std::uint32_t channels = 3;              ///< 3, or 1 for grey.
};

/// What was written.
struct DatasetReport {
  std::uint32_t classes = 0, per_class = 0;
  PictureSize size;
  std::uint32_t channels = 0;
};

/// Reads the pictures and writes `output` (DESIGN section 3), or the same as a header in C where its name ends in .h.
/// It has a temporary name until it is whole. \throws UserError naming the file or class at fault.
DatasetReport write_dataset(const DatasetOptions& options);

/// "32x48" as height and width; nothing where the text is something else or a number is not 1 to 4096.
std::optional<PictureSize> parse_picture_size(const std::string& text);

}  // namespace fovea
