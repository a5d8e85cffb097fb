// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data: the timing rules alone, without addresses, data or pins.
///
/// Both simulators use these rules. Test: dram_timing_test.cpp pins each number from both sides.
#ifndef FOVEA_SIM_COMMON_DRAM_TIMING_H_
#define FOVEA_SIM_COMMON_DRAM_TIMING_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// A DRAM's numbers, in device cycles. "In cycle c" means at the clock edge that ends cycle c.
///
/// A request accepted in cycle a may use its data channel from cycle a + latency on, in order, once the burst before it
/// has moved its last beat in an earlier cycle. If it begins to use it in cycle s, its first beat moves in cycle
/// s + burst_cycles + beat_cycles - 1 at the earliest, and each further beat beat_cycles after the one before.
/// A write's last beat in cycle w lets its response move in cycle w + response_cycles at the earliest.
struct DramPreset {
  static constexpr uint32_t kMostRequests = 8;

  const char* name;
  uint32_t read_latency;     ///< At least 1. Latencies of waiting requests overlap.
  uint32_t write_latency;    ///< At least 1.
  uint32_t burst_cycles;     ///< Cycles of the data channel that a burst takes beside its beats.
  uint32_t beat_cycles;      ///< Cycles of the data channel that a beat takes: at least 1.
  uint32_t response_cycles;  ///< At least 1.
  uint32_t requests;         ///< In flight each way (to the last read beat, to the write response): 1 to kMostRequests.
  bool shared;               ///< Reads and writes share one data channel, whole bursts, writes first.
};

/// Names of the presets: the rows of dram_presets.def, in their order.
std::vector<std::string> dram_preset_names();

/// The presets, by name. \throws std::invalid_argument that lists the known ones.
const DramPreset& dram_preset(const std::string& name);

/// What moved in a cycle, with the beats of the requests accepted.
struct DramMoves {
  uint32_t ar_beats = 0, aw_beats = 0;  ///< 0: no request.
  bool r = false, w = false, b = false;
};

/// The state of a DRAM at the start of a cycle. Ask, then step() with what moved; nothing moves that was not offered.
class DramTiming {
 public:
  explicit DramTiming(const DramPreset& preset) : preset_(preset) {}

  bool ar_ready() const { return reads_in_flight_ < preset_.requests; }
  bool aw_ready() const { return writes_in_flight_ < preset_.requests; }
  bool r_valid() const { return read_.beats != 0 && now_ >= read_.next_beat; }
  bool r_last() const { return read_.beats == 1; }
  bool w_ready() const { return write_.beats != 0 && now_ >= write_.next_beat; }
  bool b_valid() const { return responses_.size != 0 && now_ >= responses_.front().due; }

  /// Whether nothing is in flight.
  bool is_idle() const { return reads_in_flight_ + writes_in_flight_ == 0; }

  /// Ends the cycle.
  void step(const DramMoves& moves);

 private:
  /// A burst waiting for its channel, or a response for its time.
  struct Due {
    uint64_t due;
    uint32_t beats;
  };
  /// First in, first out; never more than DramPreset::requests deep.
  struct Queue {
    std::array<Due, DramPreset::kMostRequests> items;
    uint32_t head = 0, size = 0;
    const Due& front() const { return items[head]; }
    void push(Due item) { items[(head + size++) % items.size()] = item; }
    void pop();
  };
  /// A data channel: the burst that owns it, if beats is not 0.
  struct Channel {
    uint32_t beats = 0;
    uint64_t next_beat = 0;
  };

  void accept(const DramMoves& moves);
  void move_beats(const DramMoves& moves);
  bool begin(Queue& queue, Channel& channel);
  void begin_bursts();

  DramPreset preset_;
  uint64_t now_ = 0;
  uint32_t reads_in_flight_ = 0, writes_in_flight_ = 0;
  Queue read_requests_, write_requests_, responses_;
  Channel read_, write_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_COMMON_DRAM_TIMING_H_
