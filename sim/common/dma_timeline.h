// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of a timeline that shows bursts, and the bytes that they leave in the GLB.
#pragma once

#include <cstdint>
#include <deque>

#include "timeline_writer.h"
#include "transaction.h"

namespace fovea {

/// Bursts overlap, their data does not: a burst's span begins with its request or with the end of the one before.
class DmaTimeline {
 public:
  DmaTimeline(TimelineWriter& writer, uint32_t read_track, uint32_t write_track, uint32_t bus_bytes)
      : writer_(writer), reads_{read_track, 0, {}}, writes_{write_track, 0, {}}, bus_bytes_(bus_bytes) {}

  void take(const Transaction& event);

  /// A layer has ended: nothing of it stays in the GLB.
  void end_layer(uint64_t cycle);

 private:
  struct Burst {
    uint64_t requested;
    uint32_t addr, beats;
  };
  struct Channel {
    uint32_t track;
    uint64_t free_from = 0;
    std::deque<Burst> in_flight;
  };
  /// Chunks of one tensor in the GLB, in bytes.
  struct Chunks {
    std::deque<uint64_t> bytes;
    uint64_t total = 0;
  };

  void begin(Channel& channel, const Transaction& event);
  void end(Channel& channel, uint64_t cycle);
  void add(Chunks& chunks, uint64_t cycle);
  void drop(Chunks& chunks, uint64_t cycle);
  void write_in_flight(uint64_t cycle);
  void write_bytes(uint64_t cycle);

  TimelineWriter& writer_;
  Channel reads_, writes_;
  uint32_t bus_bytes_;
  uint64_t loading_ = 0;  ///< Bytes of the chunk that is on its way.
  Chunks ifmaps_, filters_;
};

}  // namespace fovea
