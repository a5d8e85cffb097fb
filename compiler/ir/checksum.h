// SPDX-License-Identifier: Apache-2.0
/// \file
/// The checksum of files that the compiler writes.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// CRC-32 of the bytes, as zlib, PNG and weight.bin have it.
inline std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace fovea
