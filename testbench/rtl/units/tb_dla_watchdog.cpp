// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_watchdog expire in the last of so many cycles without progress, not one before, and never with a limit of
/// 0?
#include <gtest/gtest.h>

#include "Vdla_watchdog.h"
#include "rtl/coverage_count.h"

namespace fovea {
namespace {

class Watchdog : public testing::Test {
 protected:
  Watchdog() {
    cycle(0, false, false);
    unit.rst_ni = 1;
  }

  /// Runs a cycle. \return whether it expires in it.
  bool cycle(uint32_t limit, bool active, bool progress) {
    unit.limit_i = limit;
    unit.active_i = active;
    unit.progress_i = progress;
    unit.clk_i = 0;
    unit.eval();
    const bool expired = unit.expired_o != 0;
    unit.clk_i = 1;
    unit.eval();
    return expired;
  }

  /// Cycles without progress up to the one in which it expires; 1000: none.
  int patience(uint32_t limit) {
    int cycles = 1;
    while (cycles < 1000 && !cycle(limit, true, false)) {
      ++cycles;
    }
    return cycles;
  }

  Vdla_watchdog unit;
  CoverageCount count{*unit.contextp()};
};

TEST_F(Watchdog, ExpiresInTheLastOfItsCycles) {
  for (const int limit : {1, 2, 3, 100}) {
    cycle(limit, false, false);
    EXPECT_EQ(patience(limit), limit) << "from the start";
    cycle(limit, true, true);
    EXPECT_EQ(patience(limit), limit) << "after progress";
  }
}

TEST_F(Watchdog, DoesNotExpireInACycleWithProgress) {
  cycle(2, false, false);
  EXPECT_FALSE(cycle(2, true, false));
  EXPECT_FALSE(cycle(2, true, true));
  EXPECT_FALSE(cycle(2, true, false));
  EXPECT_TRUE(cycle(2, true, false));
}

TEST_F(Watchdog, DoesNotExpireBeforeTheLargestLimit) {
  EXPECT_EQ(patience(UINT32_MAX), 1000);
  cycle(3, false, false);
  EXPECT_EQ(patience(3), 3);
}

TEST_F(Watchdog, NeverExpiresWithoutALimit) {
  cycle(0, false, false);
  EXPECT_EQ(patience(0), 1000);
}

}  // namespace
}  // namespace fovea
