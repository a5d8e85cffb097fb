// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM's presets: the numbers behind the simulators' memory and the compiler's cost model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// Who uses the data channel.
enum class DramChannel {
  kDuplex,       ///< Reads and writes have one each.
  kWritesFirst,  ///< They share one, whole bursts, writes first.
  kFirstDue,     ///< They share one, whole bursts; first comes what has been due longest, of two a write.
};

/// Banks with a row open each, of a chip or of chips side by side. No banks: a memory without rows.
struct DramRows {
  uint32_t banks = 0;          ///< At most kMostBanks. Rows that follow each other are in different banks.
  uint32_t row_beats = 0;      ///< Of an open row, at least a burst's 4 KiB.
  uint32_t activate = 0;       ///< tRCD: from opening a row to its first command.
  uint32_t precharge = 0;      ///< tRP: from closing a row to opening another.
  uint32_t open = 0;           ///< tRAS: a row stays open at least so long.
  uint32_t activations = 0;    ///< tRRD: from opening a row to opening one in another bank.
  uint32_t read_command = 0;   ///< CL: from a read's command to its first beat,
  uint32_t write_command = 0;  ///< CWL: and from a write's.
  uint32_t recovery = 0;       ///< tWR: from a write's last beat to closing its row.
  uint32_t refreshes = 0;      ///< tREFI: from one refresh to the next.
  uint32_t refresh = 0;        ///< tRFC: how long it takes, all rows closed.
};

/// A DRAM's numbers, in device cycles. "In cycle c" means at the clock edge that ends cycle c.
///
/// A request accepted in cycle a is due in cycle a + latency. It may use its data channel from then on, in the
/// channel's order, once the burst before it has moved its last beat in an earlier cycle. If it begins to use it in
/// cycle s, its beat i moves in cycle s + burst_cycles + ceil((i + 1) * pace.cycles / pace.beats) - 1 at the earliest,
/// and as much later as the beat before it did. Where the channel was used the other way before, s is so many cycles
/// later as to leave the turn's cycles idle. A write's last beat in cycle w lets its response move in cycle w +
/// response_cycles at the earliest.
///
/// With rows: a request is due in a + 1, and from a + latency on the controller gives commands for it, whether the
/// channel is free or not; s is at least CL or CWL after its first command, which waits until its row is open. The row
/// before it in the bank closes first, CL before the cycle after the last beat read from it at the earliest. In every
/// multiple of tREFI a refresh is due; the first burst that would begin from then on waits until all rows are closed
/// and refreshed.
///
/// With a seed: gaps by dram_gap() (dram_bursts.h) hold back requests, beats and responses.
struct DramPreset {
  static constexpr uint32_t kMostRequests = 8, kMostBanks = 8;

  char name[24];           ///< Of a memory that a machine file describes, one of its numbers.
  uint32_t read_latency;   ///< At least 1. Latencies of waiting requests overlap.
  uint32_t write_latency;  ///< At least 1.
  uint32_t burst_cycles;   ///< Cycles of the data channel that a burst takes beside its beats.
  struct {
    uint32_t beats, cycles;  ///< So many beats take so many cycles; at least a cycle a beat.
  } pace;
  uint32_t response_cycles;  ///< At least 1.
  uint32_t requests;         ///< In flight each way (to the last read beat, to the write response): 1 to kMostRequests.
  DramChannel channel;
  struct {
    uint32_t to_write, to_read;  ///< Idle cycles of the channel when its direction changes.
  } turn;
  DramRows rows;
  uint32_t gap_seed;  ///< 0: no gaps.
};

/// Names of the presets: the rows of dram_presets.def, in their order.
std::vector<std::string> dram_preset_names();

/// The presets, by name. \throws std::invalid_argument that lists the known ones.
const DramPreset& dram_preset(const std::string& name);

}  // namespace fovea
