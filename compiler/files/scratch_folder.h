// SPDX-License-Identifier: Apache-2.0
/// \file
/// A folder that goes when the object does.
#pragma once

#include <filesystem>
#include <string>

namespace fovea {

/// A new, empty folder among the system's temporary files.
class ScratchFolder {
 public:
  /// \throws UserError where it can't be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace fovea
