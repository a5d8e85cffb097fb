// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data, burst by burst: the rules of sim/common's DramTiming in closed form.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "clock.h"
#include "spec/dram_bursts.h"

namespace fovea {

/// For masters whose data never waits: every beat moves in the first cycle that the DRAM offers.
/// Time only goes on: no call may name an earlier cycle than the one before. Test: dram_schedule_test.cpp, against
/// DramTiming cycle by cycle.
class DramSchedule {
 public:
  using Direction = DramDirection;

  /// A burst that may begin, and when; kNever where none waits.
  struct Next {
    Direction direction;
    Cycle cycle;
  };

  /// \param bus_bytes  Of a beat.
  DramSchedule(const DramPreset& preset, uint32_t bus_bytes, const DramFault& fault = {})
      : preset_(preset), bursts_(preset, bus_bytes, fault) {}

  /// Whether a request is accepted in cycle `now`.
  bool is_ready(Direction direction, Cycle now) const;

  /// The first cycle from `now` on in which a request is accepted; kNever where that hangs on a burst not begun yet.
  Cycle ready_from(Direction direction, Cycle now) const;

  /// Accepts a request in cycle `now`. \pre is_ready().
  void accept(Direction direction, Cycle now, uint32_t addr, uint32_t beats);

  /// The burst that begins first to use its data channel, from `now` on. Where reads and writes share the channel and
  /// its cycle has not come, a request accepted meanwhile may still come first.
  Next next(Cycle now) const;

  /// Whether the order of the bursts is known when they are accepted.
  bool is_fixed() const { return preset_.channel == DramChannel::kDuplex; }

  /// Begins the burst that next() gave. \param beats  Receives the cycles in which its beats move.
  /// \return a write's: the cycle in which it is answered.
  Cycle begin(const Next& burst, std::vector<Cycle>& beats);

 private:
  struct Channel {
    std::deque<DramRequest> waiting;
    std::deque<Cycle> ends;  ///< Cycles in which bursts that have begun leave: last beat or response.
    Cycle free_from = 0;
    uint64_t accepted = 0;
    Cycle accepts_from = 0;
  };

  Cycle free_from(Direction direction) const;
  Cycle due(Direction direction) const;

  DramPreset preset_;
  DramBursts bursts_;
  std::array<Channel, 2> channels_;
};

}  // namespace fovea
