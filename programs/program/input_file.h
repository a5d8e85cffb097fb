// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads input.bin: named classes, the same number of pictures for each, as float32 planes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// Pictures of an input.bin (docs: README, "Your own picture"): three planes of pixel/255 or one, not normalized.
struct InputFile {
  std::vector<std::string> classes;
  uint32_t per_class = 0;  ///< Pictures of each class.
  uint32_t floats_per_picture = 0;
  std::vector<float> data;  ///< Class by class, picture by picture.

  /// \pre index_class < classes.size() and index < per_class.
  std::span<const float> picture(uint32_t index_class, uint32_t index) const;

  /// The output that each class is: by its name where all are labels, else by its place.
  std::vector<uint32_t> outputs(const std::vector<std::string>& labels) const;
};

/// Reads and checks a file. \throws UserError naming the file where it is missing, truncated, longer than it says, or
/// no input.bin.
InputFile read_input_file(const std::filesystem::path& path);

/// The same for a network. \param sizes  How many numbers a picture may have (input_file_sizes).
/// \throws UserError too where its pictures have another number.
InputFile read_input_file(const std::filesystem::path& path, const std::vector<std::size_t>& sizes);

/// Bare bytes: uint8 [N, C, H, W], and uint8 [N], their classes.
struct BarePictures {
  std::string pixels, classes;
  std::size_t picture_bytes = 0;

  std::size_t count() const { return classes.size(); }
  uint8_t true_class(std::size_t picture) const { return static_cast<uint8_t>(classes[picture]); }
  std::vector<float> planes(std::size_t picture) const;  ///< Of pixel/255.
};

/// \param picture_bytes  C*H*W. \throws UserError where there is no picture, or not one for each label.
BarePictures read_bare_pictures(const std::filesystem::path& pixels, const std::filesystem::path& labels,
                                std::size_t picture_bytes);

/// Floats of a raw tensor file. \throws UserError unless it holds exactly the `count` of them that `taker` takes.
std::vector<float> read_raw_tensor(const std::filesystem::path& path, const std::string& taker, std::size_t count);

}  // namespace fovea
