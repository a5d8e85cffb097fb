// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as a layer's loads and stores meet it, a burst at a time.
#include "dram_walk.h"

#include <algorithm>

namespace fovea {

BurstCycles DramWalk::request(DramDirection direction, std::uint64_t asked, std::uint32_t addr, std::uint32_t beats) {
  Way& way = ways_[direction];
  BurstCycles burst{};
  burst.accepted = std::max(asked, way.accepts_from);
  if (way.leaves.size() == preset_.requests) {
    burst.accepted = std::max(burst.accepted, way.leaves.front() + 1);
    way.leaves.pop_front();
  }
  way.accepts_from = burst.accepted + 1 + bursts_.request_gap(direction, way.accepted++);
  const std::uint64_t free_from = preset_.channel == DramChannel::kDuplex
                                      ? way.free_from
                                      : std::max(ways_[kDramRead].free_from, ways_[kDramWrite].free_from);
  const std::uint64_t begin = std::max(bursts_.due(direction, burst.accepted), free_from);
  burst.first_beat = bursts_.first_beat(direction, {burst.accepted, addr, beats}, begin);
  burst.last_beat = burst.first_beat + bursts_.to_last_beat(direction, beats);
  bursts_.end(direction, burst.last_beat);
  way.free_from = burst.last_beat + 1;
  burst.answered = burst.last_beat + (direction == kDramWrite ? bursts_.response_cycles() : 0);
  way.leaves.push_back(burst.answered);
  return burst;
}

}  // namespace fovea
