// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data, burst by burst: the rules of sim/common's DramTiming in closed form.
#include "dram_schedule.h"

#include <algorithm>

namespace fovea {

Cycle DramSchedule::ready_from(Direction direction, Cycle now) const {
  const Channel& channel = channels_[direction];
  // `ends` grows, so those that have left by then are in front. Only the last `requests` bursts matter.
  const size_t begun = channel.ends.size(), waiting = channel.waiting.size();
  if (waiting >= preset_.requests) {
    return kNever;
  }
  const size_t room = preset_.requests - waiting;  // For bursts that have begun.
  return begun < room ? now : std::max(now, channel.ends[begun - room] + 1);
}

bool DramSchedule::is_ready(Direction direction, Cycle now) const { return ready_from(direction, now) == now; }

void DramSchedule::accept(Direction direction, Cycle now, uint32_t beats) {
  Channel& channel = channels_[direction];
  while (!channel.ends.empty() && channel.ends.front() < now) {
    channel.ends.pop_front();
  }
  channel.waiting.push_back({now + (direction == kRead ? preset_.read_latency : preset_.write_latency), beats});
}

Cycle DramSchedule::free_from(Direction direction) const {
  return preset_.shared ? std::max(channels_[kRead].free_from, channels_[kWrite].free_from)
                        : channels_[direction].free_from;
}

Cycle DramSchedule::next_begin(Direction direction, Cycle now) const {
  const Channel& channel = channels_[direction];
  return channel.waiting.empty() ? kNever : std::max({now, channel.waiting.front().due, free_from(direction)});
}

BurstSchedule DramSchedule::begin(Direction direction, Cycle begin) {
  Channel& channel = channels_[direction];
  const uint32_t beats = channel.waiting.front().beats;
  channel.waiting.pop_front();
  BurstSchedule burst{};
  burst.first_beat = begin + preset_.burst_cycles + preset_.beat_cycles - 1;
  burst.last_beat = burst.first_beat + Cycle{beats - 1} * preset_.beat_cycles;
  burst.response = burst.last_beat + preset_.response_cycles;
  channel.free_from = burst.last_beat + 1;
  channel.ends.push_back(direction == kRead ? burst.last_beat : burst.response);
  return burst;
}

}  // namespace fovea
