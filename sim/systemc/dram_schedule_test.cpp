// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the closed form of the DRAM that of DramTiming, request by request and beat by beat?
#include "dram_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "common/dram_timing.h"

namespace fovea {
namespace {

using Direction = DramSchedule::Direction;
constexpr Direction kDirections[] = {kDramRead, kDramWrite};
constexpr uint32_t kBusBytes = 4;

/// A request that a master holds from `asked` on.
struct Request {
  Direction direction;
  Cycle asked;
  uint32_t addr, beats;
};

/// What became of it.
struct Answer {
  Cycle accepted, first_beat, last_beat, response;
  bool operator==(const Answer& o) const {
    return accepted == o.accepted && first_beat == o.first_beat && last_beat == o.last_beat && response == o.response;
  }
};

using Answers = std::array<std::vector<Answer>, 2>;

/// Bursts of one direction: the next may be asked for once the one before was accepted.
std::vector<Request> draw(std::mt19937& source, Direction direction, size_t count) {
  std::vector<Request> requests;
  Cycle at = source() % 30;
  for (size_t i = 0; i < count; ++i) {
    // Some follow each other; others are in any row.
    const auto row =
        static_cast<uint32_t>(source() % 3 == 0 || requests.empty() ? source() % 9 * 4096 : requests.back().addr);
    requests.push_back(
        {direction, at, row, static_cast<uint32_t>(source() % 4 == 0 ? 1 + source() % 64 : 1 + source() % 4)});
    at += source() % 3 == 0 ? source() % 120 : source() % 4;
  }
  return requests;
}

/// Cycle by cycle, as the RTL's harness does: read data always moves, write data is there the cycle after its request.
Answers run_timing(const DramPreset& preset, const std::array<std::vector<Request>, 2>& requests, Cycle end) {
  DramTiming timing(preset, kBusBytes);
  Answers answers;
  std::array<size_t, 2> next{}, moving{}, beats{};
  size_t answered = 0;
  for (Cycle now = 0; now < end; ++now) {
    DramMoves moves;
    const std::array<bool, 2> ready = {timing.ar_ready(), timing.aw_ready()};
    for (const Direction way : kDirections) {
      if (next[way] < requests[way].size() && requests[way][next[way]].asked <= now && ready[way]) {
        const Request& request = requests[way][next[way]++];
        (way == kDramRead ? moves.ar_addr : moves.aw_addr) = request.addr;
        (way == kDramRead ? moves.ar_beats : moves.aw_beats) = request.beats;
        answers[way].push_back({now, 0, 0, 0});
      }
    }
    moves.r = timing.r_valid();
    moves.w = timing.w_ready() && answers[kDramWrite][moving[kDramWrite]].accepted < now;
    moves.b = timing.b_valid();
    const std::array<bool, 2> moved = {moves.r, moves.w};
    for (const Direction way : kDirections) {
      if (moved[way]) {
        Answer& answer = answers[way][moving[way]];
        answer.first_beat = beats[way] == 0 ? now : answer.first_beat;
        answer.last_beat = now;
        if (++beats[way] == requests[way][moving[way]].beats) {
          beats[way] = 0;
          ++moving[way];
        }
      }
    }
    if (moves.b) {
      answers[kDramWrite][answered++].response = now;
    }
    timing.step(moves);
  }
  return answers;
}

/// By the closed form, from one event to the next.
Answers run_schedule(const DramPreset& preset, const std::array<std::vector<Request>, 2>& requests, Cycle end) {
  DramSchedule schedule(preset, kBusBytes);
  Answers answers;
  std::vector<Cycle> beats;
  std::array<size_t, 2> next{}, begun{};
  for (Cycle now = 0; now < end; ++now) {
    for (const Direction way : kDirections) {
      const bool asks = next[way] < requests[way].size() && requests[way][next[way]].asked <= now;
      EXPECT_EQ(schedule.is_ready(way, now), schedule.ready_from(way, now) == now);
      if (asks && schedule.is_ready(way, now)) {
        const Request& request = requests[way][next[way]++];
        schedule.accept(way, now, request.addr, request.beats);
        answers[way].push_back({now, 0, 0, 0});
      }
    }
    for (DramSchedule::Next burst = schedule.next(now); burst.cycle == now; burst = schedule.next(now)) {
      const Cycle response = schedule.begin(burst, beats);
      Answer& answer = answers[burst.direction][begun[burst.direction]++];
      answer = {answer.accepted, beats.front(), beats.back(), burst.direction == kDramRead ? 0 : response};
    }
  }
  return answers;
}

/// The presets, and one with other numbers, as a machine file may give them.
std::vector<DramPreset> memories() {
  std::vector<DramPreset> all;
  for (const std::string& name : dram_preset_names()) {
    all.push_back(dram_preset(name));
  }
  all.push_back(
      {"own", 37, 11, 3, {2, 7}, 9, 3, DramChannel::kFirstDue, {5, 1}, {3, 1500, 12, 9, 31, 7, 11, 8, 13, 401, 97}, 0});
  return all;
}

class DramScheduleIs : public testing::TestWithParam<DramPreset> {};

TEST_P(DramScheduleIs, DramTimingInClosedForm) {
  const DramPreset& preset = GetParam();
  std::mt19937 source(11);
  for (int round = 0; round < 200; ++round) {
    const std::array<std::vector<Request>, 2> requests = {draw(source, kDramRead, source() % 40),
                                                          draw(source, kDramWrite, source() % 40)};
    constexpr Cycle kEnd = 60'000;
    const Answers expected = run_timing(preset, requests, kEnd), found = run_schedule(preset, requests, kEnd);
    for (const Direction way : kDirections) {
      ASSERT_EQ(expected[way].size(), requests[way].size());
      ASSERT_TRUE(expected[way] == found[way]) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, DramScheduleIs, testing::ValuesIn(memories()),
                         [](const auto& preset) { return preset.param.name; });

TEST(DramScheduleSays, WhenARequestWillBeAccepted) {
  DramSchedule schedule(dram_preset("pipelined"), kBusBytes);
  for (Cycle now = 0; now < 4; ++now) {
    ASSERT_TRUE(schedule.is_ready(kDramRead, now));
    schedule.accept(kDramRead, now, 0, 2);
  }
  EXPECT_EQ(schedule.ready_from(kDramRead, 4), kNever);  // All four wait.
  std::vector<Cycle> beats;
  schedule.begin(schedule.next(4), beats);
  EXPECT_EQ(beats, (std::vector<Cycle>{20, 21}));
  EXPECT_EQ(schedule.ready_from(kDramRead, 4), 22u);
  EXPECT_FALSE(schedule.is_ready(kDramRead, 21));
  EXPECT_TRUE(schedule.is_ready(kDramRead, 22));
}

}  // namespace
}  // namespace fovea
