// SPDX-License-Identifier: Apache-2.0
/// \file
/// A folder for one program at a time.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

namespace fovea {

/// Waits until no other program has it, and has it until destroyed. A folder that can't be read is not waited for.
/// \pre This program does not have it already.
class FolderLock {
 public:
  /// \param folder  "" is the one that the program runs in.
  explicit FolderLock(const std::filesystem::path& folder)
      : folder_(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ >= 0) {
      flock(folder_, LOCK_EX);
    }
  }
  ~FolderLock() {
    if (folder_ >= 0) {
      ::close(folder_);
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

}  // namespace fovea
