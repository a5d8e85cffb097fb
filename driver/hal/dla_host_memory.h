// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend without a device: device memory is a piece of the host's, and only `_cpu` calls work.
#pragma once

#include <stdint.h>

#include "dla_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// First address of the space, so that address 0 is never valid.
#define DLA_HOST_MEMORY_START 0x1000u
/// The host memory's alignment, and the largest that dla_hal.mem_alloc gives.
#define DLA_HOST_MEMORY_ALIGN 64u

/// The state behind the table. Make it with dla_host_memory_open(); it must live as long as the table.
struct dla_host_memory {
  uint8_t* base;   ///< The caller's memory; its first byte has address DLA_HOST_MEMORY_START.
  uint32_t bytes;  ///< Its size.
  uint32_t used;   ///< Handed out by mem_alloc.
};

/// Fills `hal` with functions over `bytes` of the caller's memory. read32, write32 and wait_irq stay NULL.
/// \return kDlaBadArg if `base` is NULL or not aligned to DLA_HOST_MEMORY_ALIGN, or the space would leave 32 bits.
dla_status_t dla_host_memory_open(struct dla_host_memory* memory, void* base, uint32_t bytes, dla_hal_t* hal);

#ifdef __cplusplus
}
#endif
