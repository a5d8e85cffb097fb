// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sends finished write bursts to DRAM, or to the GLB, one after another.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "burst.h"
#include "glb.h"
#include "layer_run.h"
#include "spec/dla_timing.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Beats that `bytes` bytes from `addr` on touch.
inline uint32_t beats_of(uint32_t addr, uint32_t bytes, uint32_t bus_bytes) {
  return (addr % bus_bytes + bytes + bus_bytes - 1) / bus_bytes;
}

/// A write burst, ready to be sent.
struct WriteBurst {
  static constexpr uint32_t kMaxBeats = kDlaWriteBurstBeats, kMaxBytes = kMaxBeats * kDlaMaxBusBytes;

  bool last = false;  ///< Of the layer.
  uint32_t addr = 0;  ///< Of its first byte.
  uint32_t bytes = 0;
  std::array<uint8_t, kMaxBytes> data;  ///< From the start of its first beat.
};

/// What gathering asks about the bursts before its own.
struct SentBeats : virtual sc_core::sc_interface {
  /// Beats that have moved before `cycle`.
  virtual uint64_t beats_before(Cycle cycle) const = 0;
};

/// Sends bursts: a cycle and the request until it is accepted, one after another; beside them the beats of those that
/// were accepted, as the DRAM takes them. The GLB, where an ofmap on chip goes, accepts a request at once, takes a beat
/// a cycle from the next one on, and answers the cycle behind the last.
class BurstSender : public Unit, private SentBeats {
 public:
  BurstSender(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_port<StreamIn<WriteBurst>> bursts{"bursts"};
  sc_core::sc_port<GlbWrite> glb{"glb"};
  sc_core::sc_port<EndingEvents> events{"events"};
  sc_core::sc_export<SentBeats> sent{"sent"};
  tlm_utils::simple_initiator_socket<BurstSender> dma{"dma"};

  /// No burst is under way in this cycle.
  bool is_idle() const;

  /// Asks for a list's record to be written in this cycle. \pre is_idle(). Up to its response other bursts wait, and
  /// restart() leaves it alone.
  void send_record(uint32_t addr, const uint32_t* words);

  /// A new device has none under way.
  void forget_record() { record_.reset(); }

  /// The last cycle up to this one in which a request was accepted, a beat moved, or a response came; of the GLB's
  /// only beats count.
  Cycle last_progress() const;

  void trace(sc_core::sc_trace_file* waves) const override;
  void count(Cycle cycle, dla_counters& counters) const override;

 protected:
  void run() override;
  void clear() override;

 private:
  uint64_t beats_before(Cycle cycle) const override;
  struct Asked;
  void send(const WriteBurst& burst);
  void wait_for_record();
  bool is_recording() const;
  void ask(Asked& asked);
  void wait_for_answers();
  void store_on_chip(Asked& asked, Cycle beats_from);
  void write_on_chip(const WriteBurst& burst);
  tlm::tlm_sync_enum take_answer(tlm::tlm_generic_payload& request, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  /// Requests wait while so many of the GLB's are not answered; a DRAM takes no more at a time.
  static constexpr std::ptrdiff_t kMaxUnanswered = 8;

  /// From a beat to the cycle in which the GLB writes it.
  static constexpr Cycle kGlbWriteCycles = 1;

  /// A burst whose request has been made.
  struct Asked {
    WriteBurst burst;
    std::array<uint8_t, WriteBurst::kMaxBytes> enables;
    uint32_t beats;
    bool is_scheduled, is_on_chip;
    BurstTiming timing;  ///< Once it is scheduled.

    bool is_answered_before(Cycle cycle) const { return is_scheduled && timing.response < cycle; }
    Cycle last_progress(Cycle now) const;
  };

  void forget_answered();

  BurstPool pool_;
  bool accepted_ = false;
  sc_core::sc_event answer_;
  Cycle accepted_in_ = 0;           ///< The last request.
  Cycle asks_to_ = 0;               ///< The cycle behind the last request; kNever: there is one.
  std::deque<Asked> asked_;         ///< From the last that has been answered on, in order.
  std::optional<Asked> record_;     ///< The last one; no burst of the layer that runs.
  uint64_t beats_ = 0, bytes_ = 0;  ///< Of the bursts before those.
  uint32_t sent_ = 0;               ///< Requests accepted.
};

}  // namespace fovea
