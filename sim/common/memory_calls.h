// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory functions of a backend's table, which are the same for every backend that keeps a DeviceMemory.
#pragma once

#include <cstring>
#include <optional>

#include "device_memory.h"
#include "hal/dla_hal.h"

namespace fovea {

/// Fills mem_alloc, mem_reset, mem_write, mem_read and mem_view of `hal`.
/// \tparam memory_of  Gives the memory behind the table's ctx.
template <DeviceMemory& (*memory_of)(void* ctx)>
void fill_memory_calls(dla_hal_t& hal) {
  hal.mem_alloc = [](void* ctx, uint32_t bytes, uint32_t align, uint32_t* addr) {
    const std::optional<uint32_t> place = memory_of(ctx).allocate(bytes, align);
    if (!place) {
      return kDlaNoMemory;
    }
    *addr = *place;
    return kDlaOk;
  };
  hal.mem_reset = [](void* ctx) {
    memory_of(ctx).reset();
    return kDlaOk;
  };
  hal.mem_write = [](void* ctx, uint32_t addr, const void* src, uint32_t bytes) {
    void* const place = memory_of(ctx).view(addr, bytes);
    if (place == nullptr || src == nullptr) {
      return kDlaBadArg;
    }
    std::memcpy(place, src, bytes);
    return kDlaOk;
  };
  hal.mem_read = [](void* ctx, uint32_t addr, void* dst, uint32_t bytes) {
    const void* const place = memory_of(ctx).view(addr, bytes);
    if (place == nullptr || dst == nullptr) {
      return kDlaBadArg;
    }
    std::memcpy(dst, place, bytes);
    return kDlaOk;
  };
  hal.mem_view = [](void* ctx, uint32_t addr, uint32_t bytes) -> void* { return memory_of(ctx).view(addr, bytes); };
}

}  // namespace fovea
