// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend's transactions as text, one a line, so that `diff` of two runs shows where they part.
#ifndef FOVEA_SIM_COMMON_TRANSACTION_TRACE_H_
#define FOVEA_SIM_COMMON_TRANSACTION_TRACE_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

namespace fovea {

/// Lines are: cycle, unit, event, and what the event has: an address and beats, a register and its value, or a pass.
///
///       1204  regs   write  0x00000014  1
///       1442  load   read   0x80000000  16     request accepted
///       1477  load   end    0x80000000         last beat
///       1490  array  pass   0                  started
///       2210  store  write  0x80001000  8      request accepted
///       2231  store  end    0x80001000         response
///       2231  irq    high
///
/// Events may be noted in any order, also ahead of their cycle; they are written by cycle, in a cycle by unit, ends
/// last.
class TransactionTrace {
 public:
  /// \return nothing where `path` is empty. \throws BackendError where it cannot be written.
  static std::unique_ptr<TransactionTrace> open(const std::filesystem::path& path);

  void note_access(uint64_t cycle, bool is_write, uint32_t offset, uint32_t value);
  void note_pass(uint64_t cycle, uint32_t index);
  void note_irq(uint64_t cycle);

  /// A DMA request that was accepted, and later the end of the oldest that has not ended.
  void note_request(uint64_t cycle, bool is_write, uint32_t addr, uint32_t beats);
  void note_end(uint64_t cycle, bool is_write);

  /// Writes the events of all cycles before `cycle`.
  void write_before(uint64_t cycle);

 private:
  enum Unit { kRegs, kArray, kLoad, kStore, kIrq };

  struct Event {
    uint64_t cycle;
    Unit unit;
    const char* name;
    uint32_t number, second;
  };

  explicit TransactionTrace(std::ofstream file) : file_(std::move(file)) {}
  void write(const Event& event);

  std::ofstream file_;
  std::vector<Event> events_;
  std::deque<uint32_t> reads_, writes_;  ///< Addresses of requests that have not ended.
};

}  // namespace fovea

#endif  // FOVEA_SIM_COMMON_TRANSACTION_TRACE_H_
