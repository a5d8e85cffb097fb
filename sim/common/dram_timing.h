// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data: the timing rules of a preset alone, without data or pins.
///
/// Both simulators use these rules. Test: dram_timing_test.cpp pins each number from both sides.
#pragma once

#include <array>
#include <cstdint>

#include "spec/dram_bursts.h"

namespace fovea {

/// What moved in a cycle, with the addresses and beats of the requests accepted.
struct DramMoves {
  uint32_t ar_addr = 0, aw_addr = 0;
  uint32_t ar_beats = 0, aw_beats = 0;  ///< 0: no request.
  bool r = false, w = false, b = false;
};

/// The state of a DRAM at the start of a cycle. Ask, then step() with what moved; nothing moves that was not offered.
class DramTiming {
 public:
  /// \param bus_bytes  Of a beat.
  DramTiming(const DramPreset& preset, uint32_t bus_bytes, const DramFault& fault = {})
      : preset_(preset), bursts_(preset, bus_bytes, fault) {}

  bool ar_ready() const { return is_ready(kDramRead); }
  bool aw_ready() const { return is_ready(kDramWrite); }
  bool r_valid() const { return offers_beat(kDramRead); }
  bool r_last() const { return ways_[kDramRead].beats_left == 1; }
  bool w_ready() const { return offers_beat(kDramWrite); }
  bool b_valid() const { return responses_.size != 0 && now_ >= responses_.front(); }

  /// Whether nothing is in flight.
  bool is_idle() const { return ways_[kDramRead].in_flight + ways_[kDramWrite].in_flight == 0; }

  /// This cycle is cycle 0: refreshes count from it. \pre nothing has been in flight.
  void start_clock() { now_ = 0; }

  /// Ends the cycle.
  void step(const DramMoves& moves);

 private:
  /// First in, first out; never more than DramPreset::requests deep.
  template <class Item>
  struct Queue {
    std::array<Item, DramPreset::kMostRequests> items;
    uint32_t head = 0, size = 0;
    const Item& front() const { return items[head]; }
    void push(Item item) { items[(head + size++) % items.size()] = item; }
    void pop() {
      head = (head + 1) % items.size();
      --size;
    }
  };
  /// A direction: its requests that wait for the data channel, and the burst that owns it, if beats_left is not 0.
  struct Way {
    Queue<DramRequest> waiting;
    uint32_t in_flight = 0;
    uint64_t accepted = 0;  ///< Requests.
    uint64_t ready_from = 0;
    uint32_t beats = 0, beats_left = 0;
    uint64_t next_beat = 0;
  };

  bool is_ready(DramDirection way) const {
    return ways_[way].in_flight < preset_.requests && now_ >= ways_[way].ready_from;
  }
  bool offers_beat(DramDirection way) const { return ways_[way].beats_left != 0 && now_ >= ways_[way].next_beat; }
  void accept(DramDirection direction, uint32_t addr, uint32_t beats);
  void move_beat(DramDirection direction);
  bool is_due(DramDirection direction) const;
  void begin(DramDirection direction);
  void begin_bursts();

  DramPreset preset_;
  DramBursts bursts_;
  uint64_t now_ = 0;
  std::array<Way, 2> ways_;
  Queue<uint64_t> responses_;  ///< The cycles from which they may move.
};

}  // namespace fovea
