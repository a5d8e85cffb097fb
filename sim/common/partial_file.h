// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that is written over a whole run, and gets its name only when it is complete.
#ifndef FOVEA_SIM_COMMON_PARTIAL_FILE_H_
#define FOVEA_SIM_COMMON_PARTIAL_FILE_H_

#include <filesystem>
#include <fstream>
#include <string>

namespace fovea {

/// Written as `<path>.part`. Where it is destroyed before finish(), nothing is left of it.
class PartialFile {
 public:
  /// \throws BackendError where the file cannot be made.
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  std::ostream& out() { return file_; }
  const std::filesystem::path& path() const { return path_; }

  /// Gives the file its name. \throws BackendError where not all of it could be written.
  void finish();

 private:
  std::filesystem::path path_, part_;
  std::ofstream file_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_COMMON_PARTIAL_FILE_H_
