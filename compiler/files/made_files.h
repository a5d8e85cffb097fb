// SPDX-License-Identifier: Apache-2.0
/// \file
/// The files of a folder that Fovea made, by what was in them.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// The list's own name.
inline constexpr const char* kMadeFiles = ".fovea_files";

/// So that what others made, or changed, is not replaced; and what was damaged is not used. Listed in the folder: of
/// each file a digest of its bytes and its name, up to a NUL; and a digest of all that.
class MadeFiles {
 public:
  /// Reads the list; an empty one where there is none, or it is damaged.
  explicit MadeFiles(std::filesystem::path folder);

  /// The file of this name is there, with bytes that were listed.
  bool holds(const std::string& name) const;

  std::vector<std::string> names() const;

  /// The list is there, and so is all that it names.
  bool are_whole() const;

  /// From now on also the bytes of `file`, which may have another name yet. \throws UserError where it can't be read.
  void add(const std::string& name, const std::filesystem::path& file);

  /// From now on no others than these.
  void set(const std::string& name, const std::filesystem::path& file);

  /// \throws UserError where the list can't be written.
  void save() const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::set<std::string>> digests_;  ///< By names.
  bool is_listed_ = false;                                ///< There is a list, as it was saved.
};

}  // namespace fovea
