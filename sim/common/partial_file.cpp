// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that is written over a whole run, and gets its name only when it is complete.
#include "partial_file.h"

#include <system_error>
#include <utility>

#include "backend.h"

namespace fovea {

PartialFile::PartialFile(std::filesystem::path path)
    : path_(std::move(path)), part_(path_.string() + ".part"), file_(part_, std::ios::binary) {
  if (!file_ || std::filesystem::is_directory(path_)) {
    throw BackendError(path_.string() + ": cannot be written; name a file in a folder that exists and is writable");
  }
}

PartialFile::~PartialFile() {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void PartialFile::finish() {
  file_.close();
  std::error_code problem;
  if (file_) {
    std::filesystem::rename(part_, path_, problem);
  }
  if (!file_ || problem) {
    throw BackendError(path_.string() + ": not all of it could be written; is the disk full?");
  }
}

}  // namespace fovea
