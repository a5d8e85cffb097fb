// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each number of a DRAM preset is exact: not at cycle k - 1, at cycle k.
#include "dram_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace fovea {
namespace {

using Cycles = std::vector<uint64_t>;

/// A burst of so many beats.
struct Wanted {
  Wanted(uint32_t of_beats, uint32_t from_addr = 0) : beats(of_beats), addr(from_addr) {}
  uint32_t beats, addr;
};

/// A master that is always ready and has its write data at hand; it records when everything moved.
struct Bench {
  explicit Bench(const std::string& preset, uint32_t bus_bytes = 4) : timing(dram_preset(preset), bus_bytes) {}

  /// Requests to send from a cycle on, in order.
  std::multimap<uint64_t, Wanted> reads, writes;
  std::map<uint64_t, bool> r_stalls, w_stalls, b_stalls;  ///< Cycles in which the master is not ready.
  Cycles ar, aw, r, w, b;

  void run(uint64_t cycles) {
    for (uint64_t end = now + cycles; now < end; ++now) {
      DramMoves moves;
      request(reads, timing.ar_ready(), ar, moves.ar_addr, moves.ar_beats);
      request(writes, timing.aw_ready(), aw, moves.aw_addr, moves.aw_beats);
      moves.r = record(timing.r_valid() && r_stalls.count(now) == 0, r);
      moves.w = record(timing.w_ready() && w_stalls.count(now) == 0, w);
      moves.b = record(timing.b_valid() && b_stalls.count(now) == 0, b);
      timing.step(moves);
    }
  }

  DramTiming timing;
  uint64_t now = 0;

 private:
  void request(std::multimap<uint64_t, Wanted>& wanted, bool ready, Cycles& log, uint32_t& addr, uint32_t& beats) {
    if (!ready || wanted.empty() || wanted.begin()->first > now) {
      return;
    }
    addr = wanted.begin()->second.addr;
    beats = wanted.begin()->second.beats;
    wanted.erase(wanted.begin());
    log.push_back(now);
  }
  bool record(bool moves, Cycles& log) {
    if (moves) {
      log.push_back(now);
    }
    return moves;
  }
};

Cycles from(uint64_t first, uint64_t count, uint64_t step = 1) {
  Cycles cycles;
  for (uint64_t i = 0; i < count; ++i) {
    cycles.push_back(first + i * step);
  }
  return cycles;
}

Cycles join(Cycles a, const Cycles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(DramTimingPipelined, FirstBeatComesTwentyCyclesAfterAddressThenOneACycle) {
  Bench bench("pipelined");
  bench.reads = {{5, 16}};
  bench.run(100);
  EXPECT_EQ(bench.ar, Cycles{5});
  EXPECT_EQ(bench.r, from(25, 16));
}

TEST(DramTimingPipelined, LatenciesOfQueuedRequestsOverlap) {
  Bench bench("pipelined");
  bench.reads = {{0, 4}, {0, 4}, {10, 1}};
  bench.run(100);
  EXPECT_EQ(bench.ar, (Cycles{0, 1, 10}));
  EXPECT_EQ(bench.r, (join(from(20, 8), {30})));
}

TEST(DramTimingPipelined, FourRequestsAreInFlightAndTheFifthWaitsForTheFirstsLastBeat) {
  Bench bench("pipelined");
  bench.reads = {{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}};
  bench.run(100);
  EXPECT_EQ(bench.ar, (Cycles{0, 1, 2, 3, 22}));
  EXPECT_EQ(bench.r, (join(from(20, 8), {42, 43})));
}

TEST(DramTimingPipelined, LongBurstsFollowEachOtherWithoutAGap) {
  Bench bench("pipelined");
  for (int i = 0; i < 20; ++i) {
    bench.reads.insert({0, 16});
  }
  bench.run(1000);
  EXPECT_EQ(bench.r, from(20, 320));
}

TEST(DramTimingPipelined, ResponseComesTenCyclesAfterTheLastWord) {
  Bench bench("pipelined");
  bench.writes = {{3, 4}};
  bench.run(100);
  EXPECT_EQ(bench.aw, Cycles{3});
  EXPECT_EQ(bench.w, from(4, 4));
  EXPECT_EQ(bench.b, Cycles{17});
}

TEST(DramTimingPipelined, FourWritesAreInFlightUntilTheirResponses) {
  Bench bench("pipelined");
  bench.writes = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
  bench.run(100);
  EXPECT_EQ(bench.w, (Cycles{1, 2, 3, 4, 13}));
  EXPECT_EQ(bench.b, (Cycles{11, 12, 13, 14, 23}));
  EXPECT_EQ(bench.aw, (Cycles{0, 1, 2, 3, 12}));
}

TEST(DramTimingPipelined, ReadsAndWritesDoNotDisturbEachOther) {
  Bench bench("pipelined");
  bench.reads = {{0, 30}};
  bench.writes = {{10, 30}};
  bench.run(100);
  EXPECT_EQ(bench.r, from(20, 30));
  EXPECT_EQ(bench.w, from(11, 30));
}

TEST(DramTimingPipelined, AMasterThatIsNotReadyDelaysOnlyWhatItDidNotTake) {
  Bench bench("pipelined");
  bench.reads = {{0, 3}};
  bench.r_stalls = {{20, true}, {21, true}};
  bench.writes = {{0, 2}};
  bench.w_stalls = {{1, true}};
  bench.b_stalls = {{13, true}};
  bench.run(100);
  EXPECT_EQ(bench.r, (Cycles{22, 23, 24}));
  EXPECT_EQ(bench.w, (Cycles{2, 3}));
  EXPECT_EQ(bench.b, Cycles{14});
}

TEST(DramTimingLab, ABurstTakesTwoCyclesAndSevenABeat) {
  Bench bench("lab");
  bench.reads = {{5, 3}};
  bench.run(100);
  EXPECT_EQ(bench.ar, Cycles{5});
  EXPECT_EQ(bench.r, from(5 + 2 + 7, 3, 7));
}

TEST(DramTimingLab, BurstsFollowEachOtherEvery2Plus7nCycles) {
  Bench bench("lab");
  bench.reads = {{0, 3}, {0, 3}, {0, 1}};
  bench.run(200);
  EXPECT_EQ(bench.r, (join(join(from(9, 3, 7), from(9 + 23, 3, 7)), {9 + 46})));
}

TEST(DramTimingLab, AWriteTakesAsLongAsAReadAndIsAnsweredNextCycle) {
  Bench bench("lab");
  bench.writes = {{5, 3}};
  bench.run(100);
  EXPECT_EQ(bench.w, from(14, 3, 7));
  EXPECT_EQ(bench.b, Cycles{29});
}

TEST(DramTimingLab, OneBurstAtATimeWritesFirst) {
  Bench bench("lab");
  bench.reads = {{0, 2}, {0, 2}};
  bench.writes = {{0, 1}, {12, 1}};
  bench.run(200);
  EXPECT_EQ(bench.w, (Cycles{9, 34}));
  EXPECT_EQ(bench.r, (Cycles{18, 25, 43, 50}));
}

TEST(DramTimingLab, AWriteDoesNotCutIntoARunningRead) {
  Bench bench("lab");
  bench.reads = {{0, 4}};
  bench.writes = {{1, 1}};
  bench.run(200);
  EXPECT_EQ(bench.r, from(9, 4, 7));
  EXPECT_EQ(bench.w, Cycles{30 + 9});
}

/// Rows of 4 KiB on a bus of 4 bytes; the fifth is in the first one's bank.
constexpr uint32_t kRow = 4096, kSameBank = 4 * kRow;

TEST(DramTimingDdr, OpensARowInElevenCyclesAndReadsAnOpenOneInSeven) {
  Bench bench("ddr");
  bench.reads = {{5, 8}, {100, 8}};
  bench.run(200);
  // Controller and PHY 4, tRCD 4, CL 3.
  EXPECT_EQ(bench.r, join(from(5 + 11, 8), from(100 + 7, 8)));
}

TEST(DramTimingDdr, ClosesAnotherRowOfTheBankInThreeCycles) {
  Bench bench("ddr");
  bench.reads = {{0, 1}, {100, {1, kSameBank}}, {200, {1, kRow}}};
  bench.run(300);
  EXPECT_EQ(bench.r, (Cycles{11, 114, 211})) << "the last one's bank had no row open";
}

TEST(DramTimingDdr, RowsGrowWithTheBus) {
  Bench bench("ddr", 8);
  bench.reads = {{0, 1}, {100, {1, kRow}}, {200, {1, 2 * kRow}}, {300, {1, 2 * kSameBank}}};
  bench.run(400);
  EXPECT_EQ(bench.r, (Cycles{11, 107, 211, 314}));
}

TEST(DramTimingDdr, OpensTheNextBanksRowWhileBeatsMove) {
  Bench bench("ddr");
  bench.reads = {{0, 8}, {0, {8, kRow}}, {0, 8}};
  bench.run(100);
  EXPECT_EQ(bench.r, from(11, 24));
}

TEST(DramTimingDdr, OpensRowsThreeCyclesApart) {
  Bench bench("ddr");
  bench.reads = {{0, 1}, {0, {1, kRow}}};
  bench.run(100);
  // Opened in 4 and 7; commands in 8 and 11.
  EXPECT_EQ(bench.r, (Cycles{11, 14}));
}

TEST(DramTimingDdr, KeepsARowOpenUntilItsBeatsAreReadAndForNineCycles) {
  Bench longer("ddr");
  longer.reads = {{0, 8}, {0, {1, kSameBank}}};
  longer.run(100);
  // The last beat moves in 18; closed in 16, opened in 19, its command in 23.
  EXPECT_EQ(longer.r, join(from(11, 8), {26}));
  Bench shorter("ddr");
  shorter.reads = {{0, 1}, {0, {1, kSameBank}}};
  shorter.run(100);
  // Opened in 4, so closed in 13; opened in 16, its command in 20.
  EXPECT_EQ(shorter.r, (Cycles{11, 23}));
}

TEST(DramTimingDdr, WritesAfterNineCyclesAndAnswersAfterTwo) {
  Bench bench("ddr");
  bench.writes = {{0, 4}};
  bench.run(100);
  // Controller and PHY 2, tRCD 4, CWL 3.
  EXPECT_EQ(bench.w, from(9, 4));
  EXPECT_EQ(bench.b, Cycles{14});
}

TEST(DramTimingDdr, RecoversFromAWriteBeforeItsRowIsClosed) {
  Bench bench("ddr");
  bench.writes = {{0, 4}, {0, {1, kSameBank}}};
  bench.run(100);
  // The last beat moves in 12; closed in 16, opened in 19, its command in 23.
  EXPECT_EQ(bench.w, join(from(9, 4), {26}));
}

TEST(DramTimingDdr, TurnsInTwoCyclesToWriteAndFiveToRead) {
  Bench to_read("ddr");
  to_read.writes = {{0, 4}};
  to_read.reads = {{1, 4}};
  to_read.run(100);
  EXPECT_EQ(to_read.w, from(9, 4));
  EXPECT_EQ(to_read.r, from(13 + 5, 4));
  Bench to_write("ddr");
  to_write.reads = {{0, 4}};
  to_write.writes = {{1, 4}};
  to_write.run(100);
  EXPECT_EQ(to_write.r, from(11, 4));
  EXPECT_EQ(to_write.w, from(15 + 2, 4));
}

TEST(DramTimingDdr, FirstComeFirstServedAWriteBeforeAReadOfItsCycle) {
  Bench bench("ddr");
  bench.reads = {{0, 20}, {12, 1}, {14, 1}};
  bench.writes = {{12, 1}, {13, 1}};
  bench.run(100);
  EXPECT_EQ(bench.w, (Cycles{33, 34 + 5 + 1 + 2})) << "the second one after the read that came with the first";
  EXPECT_EQ(bench.r, join(from(11, 20), {34 + 5, 43 + 5}));
}

TEST(DramTimingDdr, RefreshesEvery1560CyclesWithAllRowsClosed) {
  Bench before("ddr");
  before.reads = {{0, 1}, {1558, 1}};
  before.run(2000);
  EXPECT_EQ(before.r, (Cycles{11, 1558 + 7})) << "it began in 1559";
  Bench after("ddr");
  after.reads = {{0, 1}, {1559, 1}};
  after.run(2000);
  // Closed 3 cycles, refreshed 15, opened 4, CL 3.
  EXPECT_EQ(after.r, (Cycles{11, 1560 + 3 + 15 + 4 + 3}));
}

TEST(DramTimingDdr, RefreshesAfterTheBurstThatMoves) {
  Bench bench("ddr");
  bench.reads = {{0, 1}, {1550, 20}, {1551, 1}};
  bench.run(2000);
  // The last beat moves in 1576, so rows are closed from 1574 on.
  EXPECT_EQ(bench.r, join(join({11}, from(1557, 20)), {1574 + 3 + 15 + 4 + 3}));
}

TEST(DramTimingDdr, ForgetsRefreshesThatWereDoneWhileItWasIdle) {
  Bench bench("ddr");
  bench.reads = {{0, 1}, {4000, 1}};
  bench.run(5000);
  EXPECT_EQ(bench.r, (Cycles{11, 4000 + 11})) << "only the row is closed";
}

TEST(DramTimingChip, ThreeBeatsTakeTenCycles) {
  Bench bench("chip");
  bench.reads = {{5, 30}};
  bench.run(200);
  EXPECT_EQ(Cycles(bench.r.begin(), bench.r.begin() + 4), (Cycles{28, 31, 34, 38}));
  EXPECT_EQ(bench.r.back(), 5u + 20 + 100 - 1);
}

TEST(DramTimingChip, BurstsFollowEachOtherWithoutAGap) {
  Bench bench("chip");
  bench.reads = {{0, 3}, {0, 3}};
  bench.run(100);
  EXPECT_EQ(bench.r, (Cycles{23, 26, 29, 33, 36, 39}));
}

TEST(DramTimingChip, TurnsInFourCycles) {
  Bench bench("chip");
  bench.reads = {{0, 3}};
  bench.writes = {{15, 3}, {30, 3}};
  bench.run(100);
  // The first write is due in 16, before the read in 20; the second after it.
  EXPECT_EQ(bench.w, (Cycles{19, 22, 25, 47, 50, 53}));
  EXPECT_EQ(bench.r, (Cycles{33, 36, 39}));
  EXPECT_EQ(bench.b, (Cycles{35, 63}));
}

TEST(DramTimingRandom, HoldsBackEachChannelByItsGaps) {
  Bench bench("random");
  bench.reads = {{0, 3}, {0, 2}};
  bench.writes = {{0, 2}, {0, 2}};
  bench.run(500);
  const auto gap = [](char channel, uint64_t burst, uint32_t beat) { return dram_gap(1, channel, burst, beat); };
  EXPECT_EQ(bench.ar, (Cycles{0, 1 + gap('r', 0, 0)}));
  EXPECT_EQ(bench.aw, (Cycles{0, 1 + gap('w', 0, 0)}));
  Cycles r = {4 + gap('R', 1, 0)};
  r.push_back(r.back() + 1 + gap('R', 1, 1));
  r.push_back(r.back() + 1 + gap('R', 1, 2));
  r.push_back(std::max(r.back() + 1, bench.ar[1] + 4) + gap('R', 2, 0));
  r.push_back(r.back() + 1 + gap('R', 2, 1));
  EXPECT_EQ(bench.r, r);
  Cycles w = {1 + gap('W', 1, 0)};
  w.push_back(w.back() + 1 + gap('W', 1, 1));
  w.push_back(std::max(w.back() + 1, bench.aw[1] + 1) + gap('W', 2, 0));
  w.push_back(w.back() + 1 + gap('W', 2, 1));
  EXPECT_EQ(bench.w, w);
  const uint64_t first = w[1] + 1 + gap('B', 1, 0);
  EXPECT_EQ(bench.b, (Cycles{first, std::max(first + 1, w[3] + 1 + gap('B', 2, 0))}));
}

TEST(DramTimingRandom, GapsAreAFunctionOfSeedChannelBurstAndBeat) {
  std::map<uint32_t, int> seen;
  int differ = 0;
  for (uint32_t burst = 0; burst < 1000; ++burst) {
    for (uint32_t beat = 0; beat < 8; ++beat) {
      const uint32_t gap = dram_gap(1, 'R', burst, beat);
      ++seen[gap];
      EXPECT_EQ(gap, dram_gap(1, 'R', burst, beat));
      differ += gap != dram_gap(2, 'R', burst, beat) || gap != dram_gap(1, 'W', burst, beat) ? 1 : 0;
    }
  }
  EXPECT_NEAR(seen[0], 6000, 200) << "three of four";
  EXPECT_LE(seen.rbegin()->first, 48u);
  EXPECT_GT(seen.rbegin()->first, 40u);
  EXPECT_GT(differ, 2000);
}

TEST(DramPreset, UnknownNameListsTheKnownOnes) {
  try {
    dram_preset("ddr5");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("no DRAM preset 'ddr5'; known: pipelined, lab"));
  }
}

}  // namespace
}  // namespace fovea
