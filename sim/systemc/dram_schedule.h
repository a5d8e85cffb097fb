// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data, burst by burst: the rules of sim/common's DramTiming in closed form.
#ifndef FOVEA_SIM_SYSTEMC_DRAM_SCHEDULE_H_
#define FOVEA_SIM_SYSTEMC_DRAM_SCHEDULE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "clock.h"
#include "common/dram_timing.h"

namespace fovea {

/// The schedule of one burst.
struct BurstSchedule {
  Cycle first_beat, last_beat;
  Cycle response;  ///< A write's: the cycle in which it is answered.
};

/// For masters whose data never waits: every beat moves in the first cycle that the DRAM offers.
/// Time only goes on: no call may name an earlier cycle than the one before. Test: dram_schedule_test.cpp, against
/// DramTiming cycle by cycle.
class DramSchedule {
 public:
  enum Direction { kRead, kWrite };

  explicit DramSchedule(const DramPreset& preset) : preset_(preset) {}

  /// Whether a request is accepted in cycle `now`.
  bool is_ready(Direction direction, Cycle now) const;

  /// The first cycle from `now` on in which a request is accepted; kNever where that hangs on a burst not begun yet.
  Cycle ready_from(Direction direction, Cycle now) const;

  /// Accepts a request in cycle `now`. \pre is_ready().
  void accept(Direction direction, Cycle now, uint32_t beats);

  /// The first cycle from `now` on in which a burst may begin to use its data channel; kNever where none waits.
  /// Where reads and writes share the channel, a request accepted meanwhile may still come first.
  Cycle next_begin(Direction direction, Cycle now) const;

  /// Whether the order of the bursts is known when they are accepted.
  bool is_fixed() const { return !preset_.shared; }

  /// Begins the burst that waits longest, in cycle `begin`. \pre next_begin() returned it.
  BurstSchedule begin(Direction direction, Cycle begin);

  uint32_t beat_cycles() const { return preset_.beat_cycles; }

 private:
  struct Request {
    Cycle due;
    uint32_t beats;
  };
  struct Channel {
    std::deque<Request> waiting;
    std::deque<Cycle> ends;  ///< Cycles in which bursts that have begun leave: last beat or response.
    Cycle free_from = 0;
  };

  Cycle free_from(Direction direction) const;

  DramPreset preset_;
  std::array<Channel, 2> channels_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_DRAM_SCHEDULE_H_
