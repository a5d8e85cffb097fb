// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks from block to block.
#include "fst_file.h"

#include <array>
#include <cstdint>
#include <fstream>

namespace fovea {
namespace {

// Types of blocks. Signals' names come in three compressions; what is being written has a type of its own.
enum Type : unsigned char { kNamesGzip = 4, kNamesLz4 = 6, kNamesLz4Twice = 7, kUnfinished = 255 };

}  // namespace

bool is_whole_fst(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(file.tellg());
  bool names = false;
  uint64_t at = 0;
  while (file && at < size) {
    // Its type, and how many bytes follow that, the length's own among them.
    std::array<char, 9> head{};
    file.seekg(static_cast<std::streamoff>(at));
    file.read(head.data(), head.size());
    uint64_t bytes = 0;
    for (size_t i = 1; i < head.size(); ++i) {
      bytes = bytes << 8 | static_cast<unsigned char>(head[i]);
    }
    const auto type = static_cast<unsigned char>(head[0]);
    if (type == kUnfinished || bytes < head.size() - 1 || bytes >= size - at) {
      return false;
    }
    names = names || type == kNamesGzip || type == kNamesLz4 || type == kNamesLz4Twice;
    at += 1 + bytes;
  }
  return file && names;
}

}  // namespace fovea
