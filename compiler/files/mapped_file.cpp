// SPDX-License-Identifier: Apache-2.0
/// \file
/// Of an empty file nothing is mapped.
#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "read_file.h"
#include "tensor/error.h"

namespace fovea {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  const bool is_file = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  if (is_file && about.st_size > 0) {
    bytes_ = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    size_ = static_cast<size_t>(about.st_size);
  }
  if (file >= 0) {
    close(file);
  }
  if (!is_file || bytes_ == MAP_FAILED) {
    user_error(path.string() + (file < 0 && errno == ENOENT ? ": no such file" + did_you_mean_file(path)
                                                            : ": can't be read; give a file"));
  }
}

MappedFile::~MappedFile() {
  if (size_ > 0) {
    munmap(bytes_, size_);
  }
}

}  // namespace fovea
