// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_lateness charge the memory with exactly the waits that it caused, and with none after its count was paid?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "Vdla_lateness.h"
#include "rtl/coverage_count.h"

namespace fovea {
namespace {

class Lateness : public testing::Test {
 protected:
  Lateness() {
    cycle(false, false);
    unit.rst_ni = 1;
  }

  /// A cycle. \return whether a wait in it is the memory's.
  bool cycle(bool late, bool waits, bool over = false) {
    unit.late_i = late;
    unit.waits_i = waits;
    unit.over_i = over;
    unit.clk_i = 0;
    unit.eval();
    const bool owes = unit.owes_o != 0;
    unit.clk_i = 1;
    unit.eval();
    return owes;
  }

  Vdla_lateness unit;
  CoverageCount count{*unit.contextp()};
};

/// So many cycles late, from `waits_from` on waited for, then on its way for `moving` cycles.
struct Chunk {
  uint32_t late, waits_from, moving;
};

/// Had the chunk been there at once, the wait would have been so many cycles shorter: those are the memory's, first.
TEST_F(Lateness, ChargesWhatAnEarlierChunkWouldHaveSaved) {
  std::mt19937 source(1);
  for (int i = 0; i < 2000; ++i) {
    const auto below = [&](uint32_t end) { return static_cast<uint32_t>(source() % end); };
    const Chunk chunk = {below(30), below(60), 1 + below(30)};
    const uint32_t end = chunk.late + chunk.moving;
    const uint32_t waits = end - std::min(end, chunk.waits_from);
    uint32_t charged = 0;
    for (uint32_t c = 0; c < end; ++c) {
      const bool waiting = c >= chunk.waits_from;
      const bool owes = cycle(c < chunk.late, waiting, c + 1 == end);
      charged += waiting && owes ? 1 : 0;
      if (waiting) {
        ASSERT_EQ(owes, c - chunk.waits_from < chunk.late)
            << "late " << chunk.late << ", waits from " << chunk.waits_from << ", cycle " << c;
      }
    }
    ASSERT_EQ(charged, std::min(waits, chunk.late));
  }
}

TEST_F(Lateness, IsForgottenWhenCleared) {
  cycle(true, false);
  EXPECT_TRUE(cycle(false, false));
  unit.clear_i = 1;
  cycle(false, false);
  unit.clear_i = 0;
  EXPECT_FALSE(cycle(false, true));
}

TEST_F(Lateness, StaysAtItsLargestCount) {
  for (uint32_t c = 0; c < 70'000; ++c) {
    cycle(true, false);
  }
  uint32_t charged = 0;
  while (cycle(false, true)) {
    ++charged;
  }
  EXPECT_EQ(charged, 65'535u);
}

}  // namespace
}  // namespace fovea
