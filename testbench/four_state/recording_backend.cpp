// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device that is not there: keeps what a driver does with it, for a test bench in Verilog to do again.
#include "recording_backend.h"

#include "spec/dla_regs.h"

namespace fovea {

namespace {

/// Of the registers that are read: STATUS and ERROR are 0 between layers, where nothing goes wrong.
uint32_t known_bits(uint32_t offset) {
  return offset == DLA_ERROR_REG ? ~0u : offset == DLA_STATUS_REG ? DLA_STATUS_BUSY_MASK << DLA_STATUS_BUSY_LSB : 0;
}

}  // namespace

RecordingBackend::RecordingBackend() {
  hal_.ctx = this;
  hal_.read32 = [](void* ctx, uint32_t offset, uint32_t* value) {
    self(ctx).steps_.push_back({StepKind::kRead, offset, 0, known_bits(offset)});
    *value = 0;
    return kDlaOk;
  };
  hal_.write32 = [](void* ctx, uint32_t offset, uint32_t value) { return self(ctx).write_strobed(offset, value, 0xf); };
  hal_.wait_irq = [](void* ctx, uint64_t) {
    self(ctx).steps_.push_back({StepKind::kWaitIrq, 0, 0, 0});
    return kDlaOk;
  };
  hal_.mem_alloc = [](void* ctx, uint32_t bytes, uint32_t align, uint32_t* addr) {
    uint32_t& next = self(ctx).next_addr_;
    *addr = (next + align - 1) / align * align;
    next = *addr + bytes;
    return kDlaOk;
  };
  hal_.mem_reset = [](void*) { return kDlaOk; };
  hal_.mem_write = [](void* ctx, uint32_t addr, const void* src, uint32_t bytes) {
    self(ctx).write_memory(addr, src, bytes);
    return kDlaOk;
  };
  hal_.mem_read = [](void* ctx, uint32_t addr, void* dst, uint32_t bytes) {
    self(ctx).read_memory(addr, dst, bytes);
    return kDlaOk;
  };
}

dla_status_t RecordingBackend::write_strobed(uint32_t offset, uint32_t value, uint32_t) {
  steps_.push_back({StepKind::kWrite, offset, value, 0});
  return kDlaOk;
}

void RecordingBackend::write_memory(uint32_t addr, const void* src, uint32_t bytes) {
  const auto* from = static_cast<const uint8_t*>(src);
  for (uint32_t i = 0; i < bytes; ++i) {
    memory_[addr + i] = from[i];
  }
}

void RecordingBackend::read_memory(uint32_t addr, void* dst, uint32_t bytes) const {
  auto* to = static_cast<uint8_t*>(dst);
  for (uint32_t i = 0; i < bytes; ++i) {
    const auto byte = memory_.find(addr + i);
    to[i] = byte == memory_.end() ? 0 : byte->second;
  }
}

}  // namespace fovea
