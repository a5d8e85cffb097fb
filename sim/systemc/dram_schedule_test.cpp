// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the closed form of the DRAM that of DramTiming, request by request and beat by beat?
#include "dram_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace fovea {
namespace {

using Direction = DramSchedule::Direction;
constexpr Direction kDirections[] = {DramSchedule::kRead, DramSchedule::kWrite};

/// A request that a master holds from `asked` on.
struct Request {
  Direction direction;
  Cycle asked;
  uint32_t beats;
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
    requests.push_back(
        {direction, at, static_cast<uint32_t>(source() % 4 == 0 ? 1 + source() % 64 : 1 + source() % 4)});
    at += source() % 3 == 0 ? source() % 120 : source() % 4;
  }
  return requests;
}

/// Cycle by cycle, as the RTL's harness does: read data always moves, write data is there the cycle after its request.
Answers run_timing(const DramPreset& preset, const std::array<std::vector<Request>, 2>& requests, Cycle end) {
  DramTiming timing(preset);
  Answers answers;
  std::array<size_t, 2> next{}, moving{}, beats{};
  size_t answered = 0;
  for (Cycle now = 0; now < end; ++now) {
    DramMoves moves;
    const std::array<bool, 2> ready = {timing.ar_ready(), timing.aw_ready()};
    for (const Direction way : kDirections) {
      if (next[way] < requests[way].size() && requests[way][next[way]].asked <= now && ready[way]) {
        (way == DramSchedule::kRead ? moves.ar_beats : moves.aw_beats) = requests[way][next[way]++].beats;
        answers[way].push_back({now, 0, 0, 0});
      }
    }
    moves.r = timing.r_valid();
    moves.w = timing.w_ready() && answers[DramSchedule::kWrite][moving[DramSchedule::kWrite]].accepted < now;
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
      answers[DramSchedule::kWrite][answered++].response = now;
    }
    timing.step(moves);
  }
  return answers;
}

/// By the closed form, from one event to the next.
Answers run_schedule(const DramPreset& preset, const std::array<std::vector<Request>, 2>& requests, Cycle end) {
  DramSchedule schedule(preset);
  Answers answers;
  std::array<size_t, 2> next{}, begun{};
  for (Cycle now = 0; now < end; ++now) {
    for (const Direction way : kDirections) {
      const bool asks = next[way] < requests[way].size() && requests[way][next[way]].asked <= now;
      EXPECT_EQ(schedule.is_ready(way, now), schedule.ready_from(way, now) == now);
      if (asks && schedule.is_ready(way, now)) {
        schedule.accept(way, now, requests[way][next[way]++].beats);
        answers[way].push_back({now, 0, 0, 0});
      }
    }
    const auto begin = [&](Direction way) {
      if (schedule.next_begin(way, now) == now) {
        const BurstSchedule burst = schedule.begin(way, now);
        Answer& answer = answers[way][begun[way]++];
        answer = {answer.accepted, burst.first_beat, burst.last_beat, way == DramSchedule::kRead ? 0 : burst.response};
      }
    };
    begin(DramSchedule::kWrite);
    begin(DramSchedule::kRead);
  }
  return answers;
}

class DramScheduleIs : public testing::TestWithParam<std::string> {};

TEST_P(DramScheduleIs, DramTimingInClosedForm) {
  const DramPreset& preset = dram_preset(GetParam());
  std::mt19937 source(11);
  for (int round = 0; round < 200; ++round) {
    const std::array<std::vector<Request>, 2> requests = {draw(source, DramSchedule::kRead, source() % 40),
                                                          draw(source, DramSchedule::kWrite, source() % 40)};
    constexpr Cycle kEnd = 60'000;
    const Answers expected = run_timing(preset, requests, kEnd), found = run_schedule(preset, requests, kEnd);
    for (const Direction way : kDirections) {
      ASSERT_EQ(expected[way].size(), requests[way].size());
      ASSERT_TRUE(expected[way] == found[way]) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, DramScheduleIs, testing::ValuesIn(dram_preset_names()),
                         [](const auto& preset) { return preset.param; });

TEST(DramScheduleSays, WhenARequestWillBeAccepted) {
  DramSchedule schedule(dram_preset("pipelined"));
  for (Cycle now = 0; now < 4; ++now) {
    ASSERT_TRUE(schedule.is_ready(DramSchedule::kRead, now));
    schedule.accept(DramSchedule::kRead, now, 2);
  }
  EXPECT_EQ(schedule.ready_from(DramSchedule::kRead, 4), kNever);  // All four wait.
  const BurstSchedule first = schedule.begin(DramSchedule::kRead, schedule.next_begin(DramSchedule::kRead, 4));
  EXPECT_EQ(first.first_beat, 20u);
  EXPECT_EQ(first.last_beat, 21u);
  EXPECT_EQ(schedule.ready_from(DramSchedule::kRead, 4), 22u);
  EXPECT_FALSE(schedule.is_ready(DramSchedule::kRead, 21));
  EXPECT_TRUE(schedule.is_ready(DramSchedule::kRead, 22));
}

}  // namespace
}  // namespace fovea
