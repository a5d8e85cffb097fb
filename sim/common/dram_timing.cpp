// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data: the timing rules of a preset alone, without data or pins.
#include "dram_timing.h"

namespace fovea {

void DramTiming::step(const DramMoves& moves) {
  if (is_idle() && moves.ar_beats == 0 && moves.aw_beats == 0) {
    ++now_;
    return;
  }
  if (moves.ar_beats != 0) {
    accept(kDramRead, moves.ar_addr, moves.ar_beats);
  }
  if (moves.aw_beats != 0) {
    accept(kDramWrite, moves.aw_addr, moves.aw_beats);
  }
  if (moves.r) {
    move_beat(kDramRead);
  }
  if (moves.w) {
    move_beat(kDramWrite);
  }
  if (moves.b) {
    responses_.pop();
    --ways_[kDramWrite].in_flight;
  }
  ++now_;
  begin_bursts();
}

void DramTiming::accept(DramDirection direction, uint32_t addr, uint32_t beats) {
  Way& way = ways_[direction];
  way.waiting.push({now_, addr, beats});
  ++way.in_flight;
  way.ready_from = now_ + 1 + bursts_.request_gap(direction, way.accepted++);
}

void DramTiming::move_beat(DramDirection direction) {
  Way& way = ways_[direction];
  if (--way.beats_left != 0) {
    way.next_beat = now_ + bursts_.to_beat(direction, way.beats - way.beats_left);
    return;
  }
  bursts_.end(direction, now_);
  if (direction == kDramRead) {
    --way.in_flight;
  } else {
    responses_.push(now_ + bursts_.response_cycles());
  }
}

bool DramTiming::is_due(DramDirection direction) const {
  const Way& way = ways_[direction];
  return way.beats_left == 0 && way.waiting.size != 0 && now_ >= bursts_.due(direction, way.waiting.front().accepted);
}

void DramTiming::begin(DramDirection direction) {
  Way& way = ways_[direction];
  const DramRequest request = way.waiting.front();
  way.waiting.pop();
  way.beats = way.beats_left = request.beats;
  way.next_beat = bursts_.first_beat(direction, request, now_);
}

void DramTiming::begin_bursts() {
  const bool writes = is_due(kDramWrite), reads = is_due(kDramRead);
  if (preset_.channel == DramChannel::kDuplex) {
    if (writes) {
      begin(kDramWrite);
    }
    if (reads) {
      begin(kDramRead);
    }
    return;
  }
  if (ways_[kDramRead].beats_left != 0 || ways_[kDramWrite].beats_left != 0 || !(reads || writes)) {
    return;
  }
  const auto due = [&](DramDirection way) { return bursts_.due(way, ways_[way].waiting.front().accepted); };
  const bool read_first =
      !writes || (reads && preset_.channel == DramChannel::kFirstDue && due(kDramRead) < due(kDramWrite));
  begin(read_first ? kDramRead : kDramWrite);
}

}  // namespace fovea
