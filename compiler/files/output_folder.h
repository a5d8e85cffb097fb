// SPDX-License-Identifier: Apache-2.0
/// \file
/// A set of files that appear in a folder together, or not at all.
#ifndef FOVEA_COMPILER_FILES_OUTPUT_FOLDER_H_
#define FOVEA_COMPILER_FILES_OUTPUT_FOLDER_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// Collects files under temporary names and renames them all in commit(). What was not committed is removed.
class OutputFolder {
 public:
  /// Makes the folder where it is missing; "" is the one that the program runs in. \throws UserError where that fails.
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes a file under a temporary name. \throws UserError naming the file where the disk is full or read-only.
  void add(const std::string& name, std::string_view text);
  void add(const std::string& name, std::span<const std::byte> bytes);

  /// Where the file `name` lies until commit().
  std::filesystem::path place_of(const std::string& name) const;

  /// Adds a file that another program writes. \return place_of(name).
  std::filesystem::path reserve(const std::string& name);

  /// Gives every file its name.
  void commit();

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
};

/// Writes one file, whole or not at all: what was there stays until then. \throws UserError as OutputFolder.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace fovea

#endif  // FOVEA_COMPILER_FILES_OUTPUT_FOLDER_H_
