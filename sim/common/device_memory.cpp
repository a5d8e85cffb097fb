// SPDX-License-Identifier: Apache-2.0
/// \file
/// Device memory: bytes in a modelled 32-bit address space, and a bump allocator over them.
#include "device_memory.h"

#include <new>

namespace fovea {

// calloc gives untouched zero pages, so a large device memory costs nothing until it is used.
DeviceMemory::DeviceMemory(uint32_t size) : bytes_(static_cast<uint8_t*>(std::calloc(size, 1))), size_(size) {
  if (bytes_ == nullptr) {
    throw std::bad_alloc();
  }
}

std::optional<uint32_t> DeviceMemory::allocate(uint32_t bytes, uint32_t align) {
  const uint64_t start = (used_ + align - 1) & ~(uint64_t{align} - 1);
  if (start + bytes > size_) {
    return std::nullopt;
  }
  used_ = start + bytes;
  return static_cast<uint32_t>(kBase + start);
}

}  // namespace fovea
