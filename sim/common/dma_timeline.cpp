// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of a timeline that shows bursts, and the bytes that they leave in the GLB.
#include "dma_timeline.h"

#include <algorithm>

namespace fovea {

void DmaTimeline::take(const Transaction& event) {
  switch (event.kind) {
    case TransactionKind::kReadRequest:
      return begin(reads_, event);
    case TransactionKind::kReadEnd:
      loading_ += uint64_t{reads_.in_flight.front().beats} * bus_bytes_;
      return end(reads_, event.cycle);
    case TransactionKind::kWriteRequest:
      return begin(writes_, event);
    case TransactionKind::kWriteEnd:
      return end(writes_, event.cycle);
    case TransactionKind::kIfmapLoaded:
      return add(ifmaps_, event.cycle);
    case TransactionKind::kFilterLoaded:
      return add(filters_, event.cycle);
    case TransactionKind::kIfmapFree:
      return drop(ifmaps_, event.cycle);
    case TransactionKind::kSetEnd:
      return drop(filters_, event.cycle);
    default:
      return;
  }
}

void DmaTimeline::begin(Channel& channel, const Transaction& event) {
  channel.in_flight.push_back({event.cycle, event.number, event.second});
  write_in_flight(event.cycle);
}

void DmaTimeline::end(Channel& channel, uint64_t cycle) {
  const Burst burst = channel.in_flight.front();
  channel.in_flight.pop_front();
  writer_.write_span(channel.track, "burst", std::max(burst.requested, channel.free_from), cycle + 1,
                     {{"address", burst.addr}, {"beats", burst.beats}, {"requested", burst.requested}});
  channel.free_from = cycle + 1;
  write_in_flight(cycle + 1);
}

void DmaTimeline::add(Chunks& chunks, uint64_t cycle) {
  chunks.bytes.push_back(loading_);
  chunks.total += loading_;
  loading_ = 0;
  write_bytes(cycle + 1);
}

void DmaTimeline::drop(Chunks& chunks, uint64_t cycle) {
  if (chunks.bytes.empty()) {
    return;  // It has stayed in the GLB, or came before its layer began.
  }
  chunks.total -= chunks.bytes.front();
  chunks.bytes.pop_front();
  write_bytes(cycle + 1);
}

void DmaTimeline::end_layer(uint64_t cycle) {
  loading_ = 0;
  ifmaps_ = filters_ = {};
  write_bytes(cycle);
}

void DmaTimeline::write_in_flight(uint64_t cycle) {
  writer_.write_counter("bursts in flight", cycle,
                        {{"read", reads_.in_flight.size()}, {"write", writes_.in_flight.size()}});
}

void DmaTimeline::write_bytes(uint64_t cycle) {
  writer_.write_counter("GLB bytes", cycle, {{"ifmap", ifmaps_.total}, {"filter", filters_.total}});
}

}  // namespace fovea
