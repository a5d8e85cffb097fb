// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verilated dla_top with its DRAM, cycle by cycle.
#pragma once

#include <memory>

#include "Vdla.h"
#include "common/axi_lite_master.h"
#include "common/backend.h"
#include "common/bus_log.h"
#include "common/dram.h"
#include "common/transaction_log.h"
#include "coverage_count.h"
#include "wave_dump.h"

namespace fovea {

/// Thrown out of a cycle in which an assertion failed; its name is on standard output. The model is of no use
/// afterwards.
struct AssertionFailed {};

/// Pins, clock and reset. Inputs change after the rising edge, as a register's outputs would; handshakes are taken from
/// what the pins show just before the next one.
class VerilatedDevice {
 public:
  /// Opens and resets. \throws BackendError for waves that cannot be written.
  VerilatedDevice(const BackendOptions& options, const DeviceMemory& memory);
  ~VerilatedDevice();

  /// Runs one clock cycle.
  void run_cycle();

  /// Runs one cycle with the register port's pins driven; returns what the slave drove at its end.
  AxiLiteSlavePins run_register_cycle(const AxiLiteMasterPins& pins);

  bool irq() const { return top_.irq_o != 0; }
  uint64_t cycles() const { return cycles_; }
  void note_layer(const char* name);
  void note_cpu_layer(const char* name);
  BusLog* log() { return log_.get(); }

  /// Whether note() goes anywhere.
  bool wants_events() const { return transactions_ != nullptr || waves_.wants_events(); }

  /// An event, for the trace and for waves that wait for it.
  void note(const Transaction& event);

  /// A register access that began in `cycle`; the events before it are complete.
  void note_access(uint64_t cycle, bool is_write, uint32_t offset, uint32_t value);

  /// Writes the events of the cycles before this one. \pre no register access is under way.
  void write_events();

  /// Completes trace and waves. \throws BackendError.
  void finish();

 private:
  void reset();
  void drive_dram_pins();
  void take_dram_handshakes();
  void note_now(TransactionKind kind, uint32_t number = 0, uint32_t second = 0);
  void note_events(const AxiSlavePins& pins);
  void eval_clock(bool level);

  uint64_t cycles_ = 0;
  uint64_t half_period_ps_;
  VerilatedContext context_;
  Vdla top_;
  CoverageCount coverage_{context_};
  std::unique_ptr<BusLog> log_;
  std::unique_ptr<TransactionLog> transactions_;
  Dram dram_;
  WaveDump waves_;
  AxiLiteSlavePins register_pins_;
  bool register_access_ = false;
};

}  // namespace fovea
