// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long each burst keeps its data channel waiting, beat by beat: the part of a DRAM that depends on addresses, on
/// the bursts before, and on chance.
#pragma once

#include <array>
#include <cstdint>

#include "dram_fault.h"
#include "dram_preset.h"

namespace fovea {

enum DramDirection { kDramRead, kDramWrite };

/// A request that a DRAM has accepted.
struct DramRequest {
  uint64_t accepted;  ///< The cycle.
  uint32_t addr;      ///< In bytes.
  uint32_t beats;
};

/// Seeded gaps, in cycles: a function of seed, channel, burst and beat. Three of four are 0, most others short.
uint32_t dram_gap(uint32_t seed, char channel, uint64_t burst, uint32_t beat);

/// The state of the memory behind the data channels. Bursts are told in the order in which they begin.
class DramBursts {
 public:
  /// \param bus_bytes  Of a beat.
  DramBursts(const DramPreset& preset, uint32_t bus_bytes, const DramFault& fault = {})
      : preset_(preset), bus_bytes_(bus_bytes), fault_(fault) {}

  /// From when on the request that waits longest may have its channel, if that is free.
  uint64_t due(DramDirection direction, uint64_t accepted) const;

  /// A burst that begins to use its channel in cycle `begin`: the earliest cycle of its first beat.
  uint64_t first_beat(DramDirection direction, const DramRequest& request, uint64_t begin);

  /// Of the burst that began last in this direction: cycles from its beat `beat` - 1 to `beat`.
  uint32_t to_beat(DramDirection direction, uint32_t beat) const;

  /// Of the same burst, which has so many beats: from the first to the last.
  uint64_t to_last_beat(DramDirection direction, uint32_t beats) const;

  /// That burst's last beat moved in `cycle`.
  void end(DramDirection direction, uint64_t cycle);

  /// Cycles after the one in which request number `number` was accepted, in which no other is.
  uint32_t request_gap(DramDirection direction, uint64_t number) const;

  /// From the last beat of the write that began last to its response.
  uint64_t response_cycles() const;

 private:
  struct Bank {
    bool is_open = false;
    uint64_t row = 0;
    uint64_t command_from = 0;  ///< Of the open row.
    uint64_t close_from = 0;
    uint64_t open_from = 0;
  };

  uint32_t gap(char channel, uint64_t burst, uint32_t beat) const;
  uint64_t turned(DramDirection direction) const;
  void refresh(uint64_t begin);
  void open_row(Bank& bank, uint64_t row, uint64_t command);
  uint64_t first_command(DramDirection direction, const DramRequest& request, uint64_t begin);

  DramPreset preset_;
  uint32_t bus_bytes_;
  DramFault fault_;
  std::array<uint64_t, 2> begun_{};  ///< Bursts, each way.
  bool was_used_ = false;            ///< The shared channel,
  DramDirection way_ = kDramRead;    ///< last this way,
  uint64_t used_to_ = 0;             ///< up to this cycle.
  std::array<Bank, DramPreset::kMostBanks> banks_;
  uint64_t bank_ = 0;  ///< Of the burst that began last.
  uint64_t activate_from_ = 0;
  uint64_t refreshes_ = 0;  ///< Done since the start.
};

}  // namespace fovea
