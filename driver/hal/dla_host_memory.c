// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend without a device, over memory that the caller gives.
#include "dla_host_memory.h"

#include <stddef.h>

static void* view(void* ctx, uint32_t addr, uint32_t bytes) {
  const struct dla_host_memory* memory = ctx;
  if (addr < DLA_HOST_MEMORY_START || addr - DLA_HOST_MEMORY_START > memory->bytes ||
      bytes > memory->bytes - (addr - DLA_HOST_MEMORY_START)) {
    return NULL;
  }
  return memory->base + (addr - DLA_HOST_MEMORY_START);
}

static dla_status_t alloc(void* ctx, uint32_t bytes, uint32_t align, uint32_t* addr) {
  struct dla_host_memory* memory = ctx;
  if (addr == NULL || align == 0 || (align & (align - 1)) != 0 || align > DLA_HOST_MEMORY_ALIGN) {
    return kDlaBadArg;
  }
  const uint64_t start = ((uint64_t)memory->used + align - 1) & ~(uint64_t)(align - 1);
  if (start + bytes > memory->bytes) {
    return kDlaNoMemory;
  }
  memory->used = (uint32_t)(start + bytes);
  *addr = DLA_HOST_MEMORY_START + (uint32_t)start;
  return kDlaOk;
}

static dla_status_t reset(void* ctx) {
  struct dla_host_memory* memory = ctx;
  memory->used = 0;
  return kDlaOk;
}

static dla_status_t write(void* ctx, uint32_t addr, const void* src, uint32_t bytes) {
  void* dst = view(ctx, addr, bytes);
  if (dst == NULL || src == NULL) {
    return kDlaBadArg;
  }
  __builtin_memcpy(dst, src, bytes);
  return kDlaOk;
}

static dla_status_t read(void* ctx, uint32_t addr, void* dst, uint32_t bytes) {
  const void* src = view(ctx, addr, bytes);
  if (dst == NULL || src == NULL) {
    return kDlaBadArg;
  }
  __builtin_memcpy(dst, src, bytes);
  return kDlaOk;
}

dla_status_t dla_host_memory_open(struct dla_host_memory* memory, void* base, uint32_t bytes, dla_hal_t* hal) {
  if (memory == NULL || hal == NULL || base == NULL || (uintptr_t)base % DLA_HOST_MEMORY_ALIGN != 0 ||
      bytes > UINT32_MAX - DLA_HOST_MEMORY_START) {
    return kDlaBadArg;
  }
  *memory = (struct dla_host_memory){.base = base, .bytes = bytes};
  *hal = (dla_hal_t){
      .ctx = memory, .mem_alloc = alloc, .mem_reset = reset, .mem_write = write, .mem_read = read, .mem_view = view};
  return kDlaOk;
}
