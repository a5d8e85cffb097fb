// SPDX-License-Identifier: Apache-2.0
/// \file
/// The accelerator with its DRAM, elaborated once a process.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "common/backend.h"
#include "control.h"
#include "dram_memory.h"
#include "registers.h"
#include "units.h"
#include "wave_file.h"

namespace fovea {

/// The whole model, seen from its register port. The kernel elaborates once a process, so there is one, and opening a
/// backend restarts it as another machine.
class Device : public sc_core::sc_module {
 public:
  /// The process's device; elaborated by the first call.
  static Device& instance();

  /// A new device, in reset. \pre the one before is not used any more.
  void restart(const BackendOptions& options, const DeviceMemory& memory, DeviceObserver& observer);

  /// Dumps the waves in a window, into a VCD file, up to waves().close(). \pre restart() was called in this cycle.
  void start_waves(const WaveOptions& options, uint32_t bus_bytes);
  WaveFile& waves() { return waves_; }

  /// Cycles since restart().
  Cycle cycles() const { return cycles_; }

  /// Runs `cycles` cycles.
  void run(Cycle cycles);

  /// Runs up to `cycles` cycles, and stops after the one in which the interrupt line rises.
  void run_to_irq(Cycle cycles);

  bool irq() const { return registers_.irq(); }

  /// One access to a register, in this cycle. \return whether it was answered without error.
  bool read(uint32_t offset, uint32_t& value);
  bool write(uint32_t offset, uint32_t value, uint32_t strobes);

 private:
  explicit Device(const sc_core::sc_module_name& name);
  void finish_cycle();
  bool access(tlm::tlm_command command, uint32_t offset, uint32_t& value, uint32_t strobes);

  DeviceState state_;
  Units units_;
  Control control_;
  Registers registers_;
  DramMemory dram_;
  tlm_utils::simple_initiator_socket<Device> register_port_{"register_port"};
  WaveFile waves_;
  Cycle cycles_ = 0;
  bool stops_at_irq_ = false;
};

}  // namespace fovea
