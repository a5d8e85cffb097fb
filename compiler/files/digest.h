// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a cached thing follows from, as one number: the first half of a SHA-256, which nobody can make a second file
/// for.
#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// Takes parts in, each with its length, so that "ab", "c" and "a", "bc" differ.
class Digest {
 public:
  static constexpr std::size_t kDigits = 32;

  Digest();

  void add(std::string_view bytes);

  /// All bytes of a file. \throws UserError naming it where it can't be read.
  void add_file(const std::filesystem::path& path);

  /// The names and bytes of the files in a folder, not in those below it, in the order of their names.
  /// \param extension  Of those that count: ".h". \throws as add_file().
  void add_folder(const std::filesystem::path& folder, const std::string& extension);

  /// The program that runs, or the library that this is linked to: by the number that the linker gave it.
  void add_this_program();

  /// A program that PATH knows, by place, size and time of change; nothing where there is none.
  void add_program(const std::string& name);

  /// kDigits hexadecimal digits of what has been added so far.
  std::string text() const;

 private:
  sha256_ctx state_{};
};

}  // namespace fovea
