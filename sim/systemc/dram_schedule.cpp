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
  const Cycle left = begun < room ? now : channel.ends[begun - room] + 1;
  return std::max({now, left, channel.accepts_from});
}

bool DramSchedule::is_ready(Direction direction, Cycle now) const { return ready_from(direction, now) == now; }

void DramSchedule::accept(Direction direction, Cycle now, uint32_t addr, uint32_t beats) {
  Channel& channel = channels_[direction];
  while (!channel.ends.empty() && channel.ends.front() < now) {
    channel.ends.pop_front();
  }
  channel.waiting.push_back({now, addr, beats});
  channel.accepts_from = now + 1 + bursts_.request_gap(direction, channel.accepted++);
}

Cycle DramSchedule::free_from(Direction direction) const {
  return is_fixed() ? channels_[direction].free_from
                    : std::max(channels_[kDramRead].free_from, channels_[kDramWrite].free_from);
}

/// kNever where no burst waits.
Cycle DramSchedule::due(Direction direction) const {
  const Channel& channel = channels_[direction];
  return channel.waiting.empty() ? kNever : bursts_.due(direction, channel.waiting.front().accepted);
}

DramSchedule::Next DramSchedule::next(Cycle now) const {
  const Cycle read_due = due(kDramRead), write_due = due(kDramWrite);
  const Cycle read = read_due == kNever ? kNever : std::max({now, read_due, free_from(kDramRead)});
  const Cycle write = write_due == kNever ? kNever : std::max({now, write_due, free_from(kDramWrite)});
  const bool first_due = preset_.channel == DramChannel::kFirstDue && read_due < write_due;
  return read < write || (read == write && first_due) ? Next{kDramRead, read} : Next{kDramWrite, write};
}

Cycle DramSchedule::begin(const Next& burst, std::vector<Cycle>& beats) {
  Channel& channel = channels_[burst.direction];
  const DramRequest request = channel.waiting.front();
  channel.waiting.pop_front();
  beats.resize(request.beats);
  beats[0] = bursts_.first_beat(burst.direction, request, burst.cycle);
  for (uint32_t beat = 1; beat < request.beats; ++beat) {
    beats[beat] = beats[beat - 1] + bursts_.to_beat(burst.direction, beat);
  }
  bursts_.end(burst.direction, beats.back());
  channel.free_from = beats.back() + 1;
  const Cycle response = beats.back() + (burst.direction == kDramWrite ? bursts_.response_cycles() : 0);
  // Answers come in order.
  channel.ends.push_back(channel.ends.empty() ? response : std::max(response, channel.ends.back() + 1));
  return channel.ends.back();
}

}  // namespace fovea
