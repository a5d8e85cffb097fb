// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long each burst keeps its data channel waiting, beat by beat.
#include "dram_bursts.h"

#include <algorithm>

namespace fovea {

namespace {

/// Cycles that the first `beats` beats of a burst take.
uint64_t paced(const DramPreset& preset, uint64_t beats) {
  return (beats * preset.pace.cycles + preset.pace.beats - 1) / preset.pace.beats;
}

}  // namespace

uint32_t dram_gap(uint32_t seed, char channel, uint64_t burst, uint32_t beat) {
  // The finalizer of splitmix64, on a number that no other beat has.
  uint64_t x = (burst << 20 | uint64_t{beat} << 8 | static_cast<uint8_t>(channel)) + seed * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  if (x % 4 != 0) {
    return 0;
  }
  const bool is_long = x >> 8 & 1 && x >> 9 & 1 && x >> 10 & 1;
  return 1 + static_cast<uint32_t>((x >> 16) % (is_long ? 48 : 6));
}

uint32_t DramBursts::gap(char channel, uint64_t burst, uint32_t beat) const {
  return preset_.gap_seed == 0 ? 0 : dram_gap(preset_.gap_seed, channel, burst, beat);
}

uint32_t DramBursts::request_gap(DramDirection direction, uint64_t number) const {
  return gap(direction == kDramRead ? 'r' : 'w', number, 0);
}

uint64_t DramBursts::response_cycles() const {
  return preset_.response_cycles + gap('B', begun_[kDramWrite], 0) +
         fault_.lateness(DramFault::Kind::kLateResponse, true, begun_[kDramWrite] - 1);
}

uint64_t DramBursts::due(DramDirection direction, uint64_t accepted) const {
  accepted += fault_.lateness(DramFault::Kind::kLateData, direction == kDramWrite, begun_[direction]);
  if (preset_.rows.banks != 0) {
    return accepted + 1;
  }
  return accepted + (direction == kDramRead ? preset_.read_latency : preset_.write_latency);
}

uint64_t DramBursts::first_beat(DramDirection direction, const DramRequest& request, uint64_t begin) {
  ++begun_[direction];
  uint64_t start = std::max(begin, turned(direction));
  if (preset_.rows.banks != 0) {
    const DramRows& rows = preset_.rows;
    start = std::max(start, first_command(direction, request, begin) +
                                (direction == kDramRead ? rows.read_command : rows.write_command));
  }
  return start + preset_.burst_cycles + paced(preset_, 1) - 1 +
         gap(direction == kDramRead ? 'R' : 'W', begun_[direction], 0);
}

uint32_t DramBursts::to_beat(DramDirection direction, uint32_t beat) const {
  const auto cycles = static_cast<uint32_t>(paced(preset_, beat + 1) - paced(preset_, beat));
  return cycles + gap(direction == kDramRead ? 'R' : 'W', begun_[direction], beat);
}

uint64_t DramBursts::to_last_beat(DramDirection direction, uint32_t beats) const {
  if (preset_.gap_seed == 0) {
    return paced(preset_, beats) - paced(preset_, 1);
  }
  uint64_t cycles = 0;
  for (uint32_t beat = 1; beat < beats; ++beat) {
    cycles += to_beat(direction, beat);
  }
  return cycles;
}

void DramBursts::end(DramDirection direction, uint64_t cycle) {
  was_used_ = true;
  way_ = direction;
  used_to_ = cycle;
  if (preset_.rows.banks != 0) {
    uint64_t& close_from = banks_[bank_].close_from;
    const uint64_t next = cycle + 1;
    close_from =
        std::max(close_from, direction == kDramRead ? next - preset_.rows.read_command : next + preset_.rows.recovery);
  }
}

/// From when on the shared channel may be used this way.
uint64_t DramBursts::turned(DramDirection direction) const {
  if (preset_.channel == DramChannel::kDuplex || !was_used_ || way_ == direction) {
    return 0;
  }
  return used_to_ + 1 + (direction == kDramRead ? preset_.turn.to_read : preset_.turn.to_write);
}

/// Closes all rows where a refresh has been due.
void DramBursts::refresh(uint64_t begin) {
  const uint64_t due = begin / preset_.rows.refreshes;
  if (due == refreshes_) {
    return;
  }
  refreshes_ = due;
  uint64_t close = due * preset_.rows.refreshes;
  for (const Bank& bank : banks_) {
    close = std::max(close, bank.close_from);
  }
  for (Bank& bank : banks_) {
    bank.is_open = false;
    bank.open_from = close + preset_.rows.precharge + preset_.rows.refresh;
  }
}

void DramBursts::open_row(Bank& bank, uint64_t row, uint64_t command) {
  const DramRows& rows = preset_.rows;
  const uint64_t closed = bank.is_open ? std::max(command, bank.close_from) + rows.precharge : command;
  const uint64_t opens = std::max({closed, bank.open_from, activate_from_});
  activate_from_ = opens + rows.activations;
  bank.is_open = true;
  bank.row = row;
  bank.command_from = opens + rows.activate;
  bank.close_from = opens + rows.open;
}

uint64_t DramBursts::first_command(DramDirection direction, const DramRequest& request, uint64_t begin) {
  refresh(begin);
  const uint64_t row = request.addr / (preset_.rows.row_beats * bus_bytes_);
  const uint64_t command = request.accepted + (direction == kDramRead ? preset_.read_latency : preset_.write_latency);
  bank_ = row % preset_.rows.banks;
  Bank& bank = banks_[bank_];
  if (!bank.is_open || bank.row != row) {
    open_row(bank, row, command);
  }
  return std::max(command, bank.command_from);
}

}  // namespace fovea
