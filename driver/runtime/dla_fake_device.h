// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests: a device that is a register file, device memory, and whatever the test says a START does.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dif/dla_field.h"
#include "hal/dla_host_memory.h"
#include "spec/dla_regs.h"

/// A machine of 6 x 8 PEs with the lab's spads, 64 KiB of GLB in banks of 2 KiB and a bus of 4 bytes.
class FakeDevice {
 public:
  static constexpr uint32_t kMemoryBytes = 1u << 20;

  FakeDevice() : memory_(static_cast<uint8_t*>(std::aligned_alloc(DLA_HOST_MEMORY_ALIGN, kMemoryBytes)), std::free) {
    dla_host_memory_open(&space_, memory_.get(), kMemoryBytes, &memory);
    hal = {.ctx = this,
           .read32 = [](void* c, uint32_t at, uint32_t* value) { return self(c).read(at, value); },
           .write32 = [](void* c, uint32_t at, uint32_t value) { return self(c).write(at, value); },
           .wait_irq = [](void* c, uint64_t cycles) { return self(c).wait(cycles); },
           .mem_alloc = [](void* c, uint32_t bytes, uint32_t align,
                           uint32_t* addr) { return self(c).memory.mem_alloc(self(c).memory.ctx, bytes, align, addr); },
           .mem_reset = [](void* c) { return self(c).memory.mem_reset(self(c).memory.ctx); },
           .mem_write = [](void* c, uint32_t addr, const void* src,
                           uint32_t bytes) { return self(c).memory.mem_write(self(c).memory.ctx, addr, src, bytes); },
           .mem_read = [](void* c, uint32_t addr, void* dst,
                          uint32_t bytes) { return self(c).memory.mem_read(self(c).memory.ctx, addr, dst, bytes); },
           .mem_view = [](void* c, uint32_t addr,
                          uint32_t bytes) { return self(c).memory.mem_view(self(c).memory.ctx, addr, bytes); },
           .note_layer = [](void* c, const char* name) { self(c).log.push_back(std::string("layer ") + name); }};
  }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  /// What START does by default: the layer is done at once.
  void finish() { registers[DLA_STATUS_REG] = DLA_PUT(STATUS_DONE, 1); }

  /// What START does where the device refuses.
  void fail(dla_error cause) {
    registers[DLA_STATUS_REG] = DLA_PUT(STATUS_ERROR, 1);
    registers[DLA_ERROR_REG] = DLA_PUT(ERROR_VALID, 1) | DLA_PUT(ERROR_CAUSE, cause);
  }

  /// Device memory, for the test to look at.
  uint8_t* view(uint32_t addr, uint32_t bytes) {
    return static_cast<uint8_t*>(memory.mem_view(memory.ctx, addr, bytes));
  }

  dla_hal_t hal{}, memory{};
  std::map<uint32_t, uint32_t> registers{{DLA_ID_REG, DLA_ID_RESET},
                                         {DLA_VERSION_REG, DLA_VERSION_RESET},
                                         {DLA_GEOMETRY_ARRAY_REG, 64u << 16 | 8 << 8 | 6},
                                         {DLA_GEOMETRY_SPADS_REG, 16u << 24 | 48 << 8 | 12},
                                         {DLA_GEOMETRY_GLB_REG, 4u << 24 | 11 << 16 | 32},
                                         {DLA_GEOMETRY_NETWORKS_REG, 4u << 16 | 4 << 8 | 1}};
  std::function<void()> on_start = [this] { finish(); };
  bool has_irq = true;           ///< Whether wait_irq sees the interrupt.
  uint64_t waited_cycles = 0;    ///< Limit that the last wait was given.
  bool stays_busy = false;       ///< Whether a reset leaves BUSY high.
  std::vector<std::string> log;  ///< "layer NAME", "start", "list", "wait", "reset", "clear error", "ack", in order.

 private:
  static FakeDevice& self(void* ctx) { return *static_cast<FakeDevice*>(ctx); }

  dla_status_t read(uint32_t at, uint32_t* value) {
    *value = registers[at];
    return kDlaOk;
  }

  dla_status_t write(uint32_t at, uint32_t value) {
    if (at == DLA_CTRL_REG && DLA_GET(CTRL_START, value) != 0) {
      log.push_back("start");
      on_start();
    } else if (at == DLA_CTRL_REG && DLA_GET(CTRL_RUN_LIST, value) != 0) {
      log.push_back("list");
      on_start();
    } else if (at == DLA_CTRL_REG && DLA_GET(CTRL_RESET, value) != 0) {
      log.push_back("reset");
      registers[DLA_STATUS_REG] = DLA_PUT(STATUS_BUSY, stays_busy);
    } else if (at == DLA_ERROR_REG) {
      log.push_back("clear error");
      registers[DLA_STATUS_REG] = registers[DLA_ERROR_REG] = 0;
    } else if (at == DLA_IRQ_STATUS_REG) {
      log.push_back("ack");
    } else {
      registers[at] = value;
    }
    return kDlaOk;
  }

  dla_status_t wait(uint64_t cycles) {
    log.push_back("wait");
    waited_cycles = cycles;
    return has_irq ? kDlaOk : kDlaTimeout;
  }

  std::unique_ptr<uint8_t, void (*)(void*)> memory_;
  dla_host_memory space_{};
};
