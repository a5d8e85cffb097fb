// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads no more than it takes.
#include "json_file.h"

#include <fstream>

namespace fovea {

std::string read_json_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char part[1 << 16]; file.read(part, sizeof part), file.gcount() != 0;) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostJsonBytes) {
      throw JsonError(path.string() + ": larger than " + std::to_string(kMostJsonBytes >> 20) + " MB");
    }
  }
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw JsonError(path.string() + ": can't be read");
  }
  return text;
}

}  // namespace fovea
