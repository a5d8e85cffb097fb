// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device that is not there: keeps what a driver does with it, for a test bench in Verilog to do again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/backend.h"

namespace fovea {

/// What tb_four_state.v does at a step.
enum class StepKind : uint8_t { kEnd = 0, kWrite = 1, kRead = 2, kWaitIrq = 3 };

/// One step. A register that is read must be `value` under `mask`, and known in every bit.
struct Step {
  StepKind kind;
  uint32_t offset, value, mask;
};

/// Every register reads as 0, and the interrupt comes at once. Memory is never handed out twice.
class RecordingBackend final : public Backend {
 public:
  RecordingBackend();

  const dla_hal_t& hal() const override { return hal_; }
  uint64_t cycles() const override { return 0; }
  dla_status_t write_strobed(uint32_t offset, uint32_t value, uint32_t strobes) override;
  void note_cpu_layer(const char*) override {}
  void finish() override {}

  const std::vector<Step>& steps() const { return steps_; }

  /// Bytes of device memory that somebody wrote, by address.
  const std::map<uint32_t, uint8_t>& memory() const { return memory_; }

 private:
  static RecordingBackend& self(void* ctx) { return *static_cast<RecordingBackend*>(ctx); }
  void write_memory(uint32_t addr, const void* src, uint32_t bytes);
  void read_memory(uint32_t addr, void* dst, uint32_t bytes) const;

  std::vector<Step> steps_;
  std::map<uint32_t, uint8_t> memory_;
  uint32_t next_addr_ = 0x80000000u;
  dla_hal_t hal_{};
};

}  // namespace fovea
