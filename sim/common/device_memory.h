// SPDX-License-Identifier: Apache-2.0
/// \file
/// Device memory: bytes in a modelled 32-bit address space, and a bump allocator over them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

namespace fovea {

/// Memory of `size` bytes from kBase on, zero at first. Everything outside, address 0 included, does not exist.
class DeviceMemory {
 public:
  static constexpr uint32_t kBase = 0x80000000u;

  /// \param size  1 to 2^31 bytes; only pages that are touched cost host memory. \throws std::bad_alloc.
  explicit DeviceMemory(uint32_t size);

  /// The host's view of `bytes` bytes at `addr`; nullptr where one of them is outside.
  uint8_t* view(uint32_t addr, uint32_t bytes) const {
    const uint64_t offset = uint64_t{addr} - kBase;
    return addr >= kBase && offset + bytes <= size_ ? bytes_.get() + offset : nullptr;
  }

  /// Reserves `bytes` at a multiple of `align`, a power of two. \return the address, or nothing where there is no room.
  std::optional<uint32_t> allocate(uint32_t bytes, uint32_t align);

  /// Drops every reservation. The bytes stay.
  void reset() { used_ = 0; }

  uint32_t size() const { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t[], Free> bytes_;
  uint32_t size_;
  uint64_t used_ = 0;
};

}  // namespace fovea
