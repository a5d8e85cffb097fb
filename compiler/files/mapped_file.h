// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file's bytes, mapped: a network may have gigabytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace fovea {

class MappedFile {
 public:
  /// \throws UserError naming the file where it is none, or can't be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fovea
