// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that is written under another name, and gets its own only when it is complete.
#pragma once

#include <ext/stdio_filebuf.h>

#include <filesystem>
#include <ostream>

namespace fovea {

/// Written in the same folder, under a name that nobody can guess and that was not there before. Where it is destroyed
/// before finish(), or a signal ends the program, nothing is left of it, and what had its name is as it was. Symbolic
/// links are followed. A device, a pipe or standard output, "-", is written to at once.
class PartialFile {
 public:
  /// \throws UserError where the file cannot be made.
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  std::ostream& out() { return out_; }
  const std::filesystem::path& path() const { return path_; }

  /// Where its bytes are until finish(), also for another program that writes them after close().
  const std::filesystem::path& part() const { return part_; }

  /// Nothing is written after it. \throws UserError where not all of it could be written.
  void close();

  /// Closes it, and gives the file its name. \throws UserError where not all of it could be written.
  void finish();

 private:
  [[noreturn]] void refuse() const;

  std::filesystem::path path_, target_, part_;  ///< As given; where that leads; equal where it is written to at once.
  __gnu_cxx::stdio_filebuf<char> buffer_;
  std::ostream out_;
};

/// From now on an interrupt says a line on standard error before it ends the program. \param line  Is kept.
void say_when_interrupted(const char* line);

}  // namespace fovea
