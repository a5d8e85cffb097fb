// SPDX-License-Identifier: Apache-2.0
/// \file
/// A set of files that appear in a folder together, or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "partial_file.h"

namespace fovea {

/// Collects files as PartialFile has them, and gives all of them their names in commit(), while no other program does
/// so in the same folder. What was not committed is removed. What Fovea has not made is not replaced (made_files.h).
class OutputFolder {
 public:
  /// Makes the folder where it is missing; "" is the one that the program runs in. \throws UserError where that fails.
  explicit OutputFolder(std::filesystem::path folder);

  /// Writes a file under a temporary name. \throws UserError naming the file where the disk is full or read-only.
  void add(const std::string& name, std::string_view text);
  void add(const std::string& name, std::span<const std::byte> bytes);

  /// Where the file `name` lies until commit(). \pre It was added.
  std::filesystem::path place_of(const std::string& name) const;

  /// Adds a file that another program writes. \return place_of(name).
  std::filesystem::path reserve(const std::string& name);

  /// Gives every file its name. \throws UserError naming the first that can't have it; where that is because a file is
  /// there that is not Fovea's, all are as they were.
  void commit();

 private:
  std::filesystem::path folder_;
  std::map<std::string, PartialFile> files_;
};

/// Makes a folder where it is missing; "" is there. \throws UserError where that fails.
void make_folder(const std::filesystem::path& folder);

/// Writes one file as PartialFile does, whatever was there. Makes the folder where it is missing.
/// \throws UserError as OutputFolder.
void write_file(const std::filesystem::path& path, std::string_view text);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace fovea
