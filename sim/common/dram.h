// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as an AXI4 slave: device memory behind the timing rules of a preset.
///
/// In order, without IDs, INCR bursts of whole bus words. A beat outside device memory is answered with DECERR: it
/// reads as zero, and nothing is written.
#pragma once

#include <array>
#include <cstdint>

#include "bus_log.h"
#include "device_memory.h"
#include "dram_timing.h"
#include "spec/dla_machine.h"

namespace fovea {

/// A word of the bus, as wide as the widest: its first byte is the lowest of the first number.
using BusWord = std::array<uint64_t, kDlaMaxBusBytes / 8>;

/// What the slave drives during a cycle.
struct AxiSlavePins {
  bool arready = false, awready = false, wready = false;
  bool rvalid = false, rlast = false;
  bool bvalid = false;
  uint8_t rresp = 0, bresp = 0;
  BusWord rdata{};
};

/// A DRAM seen from its pins. Each cycle: drive pins(), report what moved, end_cycle().
class Dram {
 public:
  static constexpr uint8_t kOkay = 0, kSlaveError = 2, kDecodeError = 3;

  /// \param bus_bytes  4, 8, 16 or 32.   \param log  Told of each request; nullptr for none.
  /// \param fault  What goes wrong.
  Dram(const DeviceMemory& memory, const DramPreset& preset, uint32_t bus_bytes, BusLog* log = nullptr,
       const DramFault& fault = {});

  /// What this cycle's master sees. Depends on earlier cycles only.
  const AxiSlavePins& pins() const { return pins_; }

  /// What moved in this cycle: valid and ready were both high. `len` is beats - 1.
  void move_ar(uint32_t addr, uint32_t len);
  void move_aw(uint32_t addr, uint32_t len);
  void move_r();
  void move_w(const BusWord& data, uint32_t strobes);
  void move_b();

  void end_cycle();

  /// This cycle is cycle 0 of the device. \pre nothing has moved.
  void start_clock() { timing_.start_clock(); }

  /// Whether no request is in flight.
  bool is_idle() const { return timing_.is_idle(); }

 private:
  /// Where a request goes on.
  struct Burst {
    uint32_t addr, beats;
    uint8_t resp;
    uint64_t number;
    uint32_t moved;  ///< Beats of a read.
  };
  struct Queue {
    std::array<Burst, DramPreset::kMostRequests> items;
    uint32_t head = 0, tail = 0;
    Burst& front() { return items[head % items.size()]; }
    void push(Burst item) { items[tail++ % items.size()] = item; }
  };

  Burst request(const char* verb, uint32_t addr, uint32_t len, uint64_t number);
  void load_beat();

  const DeviceMemory& memory_;
  DramFault fault_;
  DramTiming timing_;
  DramMoves moves_;
  AxiSlavePins pins_;
  Queue reads_, writes_, responses_;
  uint32_t bus_bytes_;
  BusLog* log_;
};

}  // namespace fovea
