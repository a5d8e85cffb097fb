// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_axi_burst_tracker know which beat of which burst comes next? Beside a queue of lengths, four at most.
#include <deque>
#include <random>

#include "Vdla_axi_burst_tracker.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr size_t kDepth = 4;

class BurstTracker : public UnitBench<Vdla_axi_burst_tracker> {
 protected:
  BurstTracker() { reset(); }

  /// A cycle in which a burst may be accepted and a beat may move, each as its partner wishes.
  void step(bool wants_burst, uint8_t len, bool wants_beat) {
    const bool accept = wants_burst && model.size() < kDepth;
    unit.accept_i = accept;
    unit.len_i = len;
    unit.beat_i = unit.last_i = 0;
    unit.eval();
    EXPECT_EQ(unit.full_o != 0, model.size() == kDepth);
    EXPECT_EQ(unit.expected_o != 0, accept || !model.empty());
    if (accept) {
      model.push_back(len);
    }
    if (wants_beat && !model.empty()) {
      const bool last = beats == model.front();
      EXPECT_EQ(unit.must_end_o != 0, last);
      unit.beat_i = 1;
      unit.last_i = last;
      beats = last ? 0 : beats + 1;
      if (last) {
        model.pop_front();
      }
    }
    cycle();
  }

  std::deque<uint8_t> model;  ///< Beats of each burst, less one.
  uint32_t beats = 0;         ///< Of the first, that moved.
};

TEST_F(BurstTracker, FollowsBurstsAtAnyPace) {
  std::mt19937 source(1);
  for (const uint32_t pace : {1u, 2u, 9u}) {
    for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
      const auto len = static_cast<uint8_t>(source() % 256 >> source() % 9);
      step(source() % pace == 0, len, source() % 3 != 0);
    }
  }
}

}  // namespace
}  // namespace fovea
