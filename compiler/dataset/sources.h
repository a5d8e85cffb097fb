// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where pictures come from: a folder, or CIFAR-10's binary batches.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "dataset.h"

namespace fovea {

/// At most this many pictures of each class are wanted.
inline constexpr std::size_t kAllPictures = std::numeric_limits<std::size_t>::max();

/// Files of the pictures of one class, in order.
struct ClassFiles {
  std::string name;
  std::vector<std::filesystem::path> files;
};

/// Finds the pictures of a folder, classes and pictures in order of name (numbers by value).
/// \throws UserError where there are none, or a name does not say its class.
std::vector<ClassFiles> list_folder(const std::filesystem::path& folder);

/// Reads the pictures of a folder, classes and pictures in order of name (numbers by value).
/// \throws UserError where there are none, a file is no picture, or a name does not say its class.
std::vector<PictureClass> read_folder(const std::filesystem::path& folder, std::size_t per_class);

/// Reads rows of 3073 bytes: a label 0 to 9, then 32 x 32 RGB planes. Always ten classes.
/// \throws UserError where a file is truncated or has another label.
std::vector<PictureClass> read_cifar10(const std::vector<std::filesystem::path>& batches, std::size_t per_class);

/// Whether `a` comes before `b` where runs of digits count as numbers: "cat_9" before "cat_10".
bool natural_less(const std::string& a, const std::string& b);

}  // namespace fovea
