// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as a TLM-2.0 target: device memory behind the timing rules of a preset.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <deque>

#include "burst.h"
#include "common/device_memory.h"
#include "dram_schedule.h"
#include "unit.h"

namespace fovea {

/// Two approximately-timed sockets, as AXI has read and write channels. BEGIN_REQ is the request's valid, END_REQ its
/// acceptance; BEGIN_RESP comes once the burst's BurstTiming is known, annotated with the time to its first beat, and
/// is completed by the initiator at once. Addresses are multiples of bus_bytes, lengths whole beats. A beat outside
/// device memory reads as zero or writes nothing, and is answered with an error.
class DramMemory : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(DramMemory);
  DramMemory(const sc_core::sc_module_name& name, const DeviceState& device);

  /// A new device: nothing is in flight.
  void restart(const DeviceMemory& memory, const DramPreset& preset, uint32_t bus_bytes, const DramFault& fault);

  /// Adds the requests that wait for acceptance or for their turn to a VCD file.
  void trace(sc_core::sc_trace_file* waves) const;

  tlm_utils::simple_target_socket_tagged<DramMemory> read_port{"read_port"}, write_port{"write_port"};

 private:
  using Direction = DramSchedule::Direction;
  using Burst = tlm::tlm_generic_payload;

  struct Channel {
    Burst* asking = nullptr;     ///< Its request is not accepted yet.
    std::deque<Burst*> waiting;  ///< Accepted, not begun.
    uint32_t addr = 0;           ///< Of the request accepted last, for waves.
    uint64_t begun = 0;          ///< Bursts.
    uint32_t requests = 0;       ///< Accepted since the device was opened, for waves.
  };

  tlm::tlm_sync_enum take_request(int direction, Burst& burst, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void accept(Direction direction, Burst& burst);
  void serve();
  bool begin_due_burst();
  void begin(const DramSchedule::Next& next);
  void wake();
  bool move_whole(Burst& burst) const;
  void move_data(Burst& burst, BurstTiming& timing) const;
  void inject_fault(const Burst& burst, uint64_t number, BurstTiming& timing) const;
  void send(Direction direction, Burst& burst, tlm::tlm_phase phase, Cycle delay);

  const DeviceState& device_;
  const Clock& clock_;
  const DeviceMemory* memory_ = nullptr;
  DramSchedule schedule_;
  DramFault fault_;
  uint32_t bus_bytes_ = 4;
  Channel channels_[2];
  sc_core::sc_event work_;
};

}  // namespace fovea
