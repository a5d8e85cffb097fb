// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a DRAM accepts requests and moves data: the timing rules alone, without addresses, data or pins.
#include "dram_timing.h"

#include <stdexcept>

#include "join_names.h"

namespace fovea {

namespace {

constexpr DramPreset kPresets[] = {
#define FOVEA_DRAM_PRESET(name, ...) {#name, __VA_ARGS__},
#include "dram_presets.def"
#undef FOVEA_DRAM_PRESET
};

constexpr bool are_in_range() {
  for (const DramPreset& p : kPresets) {
    if (p.read_latency < 1 || p.write_latency < 1 || p.beat_cycles < 1 || p.response_cycles < 1 || p.requests < 1 ||
        p.requests > DramPreset::kMostRequests) {
      return false;
    }
  }
  return true;
}
static_assert(are_in_range(), "dram_presets.def: a number is outside what struct DramPreset says");

}  // namespace

std::vector<std::string> dram_preset_names() {
  std::vector<std::string> names;
  for (const DramPreset& preset : kPresets) {
    names.push_back(preset.name);
  }
  return names;
}

const DramPreset& dram_preset(const std::string& name) {
  for (const DramPreset& preset : kPresets) {
    if (name == preset.name) {
      return preset;
    }
  }
  throw std::invalid_argument("no DRAM preset '" + name + "'; known: " + join_names(dram_preset_names(), ", "));
}

void DramTiming::Queue::pop() {
  head = (head + 1) % items.size();
  --size;
}

void DramTiming::step(const DramMoves& moves) {
  if (is_idle() && moves.ar_beats == 0 && moves.aw_beats == 0) {
    ++now_;
    return;
  }
  accept(moves);
  move_beats(moves);
  ++now_;
  begin_bursts();
}

void DramTiming::accept(const DramMoves& moves) {
  if (moves.ar_beats != 0) {
    read_requests_.push({now_ + preset_.read_latency, moves.ar_beats});
    ++reads_in_flight_;
  }
  if (moves.aw_beats != 0) {
    write_requests_.push({now_ + preset_.write_latency, moves.aw_beats});
    ++writes_in_flight_;
  }
}

void DramTiming::move_beats(const DramMoves& moves) {
  if (moves.r) {
    read_.next_beat = now_ + preset_.beat_cycles;
    reads_in_flight_ -= --read_.beats == 0;
  }
  if (moves.w) {
    write_.next_beat = now_ + preset_.beat_cycles;
    if (--write_.beats == 0) {
      responses_.push({now_ + preset_.response_cycles, 1});
    }
  }
  if (moves.b) {
    responses_.pop();
    --writes_in_flight_;
  }
}

bool DramTiming::begin(Queue& queue, Channel& channel) {
  if (channel.beats != 0 || queue.size == 0 || now_ < queue.front().due) {
    return false;
  }
  channel = {queue.front().beats, now_ + preset_.burst_cycles + preset_.beat_cycles - 1};
  queue.pop();
  return true;
}

void DramTiming::begin_bursts() {
  if (preset_.shared && (read_.beats != 0 || write_.beats != 0)) {
    return;
  }
  const bool wrote = begin(write_requests_, write_);
  if (!(preset_.shared && wrote)) {
    begin(read_requests_, read_);
  }
}

}  // namespace fovea
