// SPDX-License-Identifier: Apache-2.0
/// \file
/// CRC-32 with zlib's polynomial, as weight.bin carries it.
#ifndef FOVEA_COMPILER_CODEGEN_CRC32_H_
#define FOVEA_COMPILER_CODEGEN_CRC32_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// CRC-32 (reflected, polynomial 0xedb88320, initial value and final xor all ones) of the bytes.
inline std::uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) {
        table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0u);
      }
    }
    return table;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace fovea

#endif  // FOVEA_COMPILER_CODEGEN_CRC32_H_
