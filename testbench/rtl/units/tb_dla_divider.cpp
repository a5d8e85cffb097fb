// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_divider's quotient right, and done exactly half its width in cycles after the start?
#include <gtest/gtest.h>

#include <random>

#include "Vdla_divider.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kWidth = 16, kCycles = kWidth / 2;

class Divider : public UnitBench<Vdla_divider> {
 protected:
  Divider() { reset(); }

  void start(uint32_t dividend, uint32_t divisor) {
    unit.start_i = 1;
    unit.dividend_i = dividend;
    unit.divisor_i = divisor;
    cycle();
    unit.start_i = 0;
    unit.dividend_i = unit.divisor_i = 0;
  }

  /// Starts a division and returns the cycles until done_o; 100 if it does not come.
  uint32_t divide(uint32_t dividend, uint32_t divisor) {
    start(dividend, divisor);
    uint32_t cycles = 0;
    while (unit.done_o == 0 && cycles < 100) {
      cycle();
      ++cycles;
    }
    return cycles;
  }
};

TEST_F(Divider, GivesTheFloorOfTheQuotientInItsCycles) {
  std::mt19937 source(1);
  for (int i = 0; i < 3000; ++i) {
    const uint32_t dividend = static_cast<uint32_t>(source()) % (1u << kWidth) >> source() % kWidth;
    const uint32_t divisor = 1 + (static_cast<uint32_t>(source()) % ((1u << kWidth) - 1) >> source() % kWidth);
    ASSERT_EQ(divide(dividend, divisor), kCycles) << dividend << " / " << divisor;
    ASSERT_EQ(unit.quotient_o, dividend / divisor) << dividend << " / " << divisor;
  }
}

TEST_F(Divider, IsDoneForOneCycle) {
  ASSERT_EQ(divide(100, 7), kCycles);
  cycle();
  EXPECT_EQ(unit.done_o, 0);
}

TEST_F(Divider, ForgetsADivisionThatIsCleared) {
  start(100, 7);
  unit.clear_i = 1;
  cycle();
  unit.clear_i = 0;
  for (uint32_t i = 0; i < 2 * kWidth; ++i) {
    EXPECT_EQ(unit.done_o, 0);
    cycle();
  }
  EXPECT_EQ(divide(99, 3), kCycles);
  EXPECT_EQ(unit.quotient_o, 33u);
}

}  // namespace
}  // namespace fovea
