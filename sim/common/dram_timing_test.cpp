// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each number of a DRAM preset is exact: not at cycle k - 1, at cycle k.
#include "dram_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace fovea {
namespace {

using Cycles = std::vector<uint64_t>;

/// A master that is always ready and has its write data at hand; it records when everything moved.
struct Bench {
  explicit Bench(const std::string& preset) : timing(dram_preset(preset)) {}

  /// Requests to send from a cycle on: beats of each, in order.
  std::multimap<uint64_t, uint32_t> reads, writes;
  std::map<uint64_t, bool> r_stalls, w_stalls, b_stalls;  ///< Cycles in which the master is not ready.
  Cycles ar, aw, r, w, b;

  void run(uint64_t cycles) {
    for (uint64_t end = now + cycles; now < end; ++now) {
      DramMoves moves;
      moves.ar_beats = request(reads, timing.ar_ready(), ar);
      moves.aw_beats = request(writes, timing.aw_ready(), aw);
      moves.r = record(timing.r_valid() && r_stalls.count(now) == 0, r);
      moves.w = record(timing.w_ready() && w_stalls.count(now) == 0, w);
      moves.b = record(timing.b_valid() && b_stalls.count(now) == 0, b);
      timing.step(moves);
    }
  }

  DramTiming timing;
  uint64_t now = 0;

 private:
  uint32_t request(std::multimap<uint64_t, uint32_t>& wanted, bool ready, Cycles& log) {
    if (!ready || wanted.empty() || wanted.begin()->first > now) {
      return 0;
    }
    const uint32_t beats = wanted.begin()->second;
    wanted.erase(wanted.begin());
    log.push_back(now);
    return beats;
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
