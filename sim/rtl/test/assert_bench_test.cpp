// SPDX-License-Identifier: Apache-2.0
/// \file
/// The macros of dla_assert.svh fire when they should, not in reset, and not otherwise.
#include <gtest/gtest.h>

#include "Vassert_bench.h"
#include "assertion_bench.h"
#include "verilated.h"

namespace fovea {
namespace {

struct Bench {
  VerilatedContext context;
  Vassert_bench top{&context};

  Bench() { cycle(0, 0, 0, 0); }

  void cycle(bool reset_n, bool valid, bool ready, uint8_t data) {
    top.rst_ni = reset_n;
    top.valid_i = valid;
    top.ready_i = ready;
    top.data_i = data;
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
};

struct Cycle {
  bool reset_n, valid, ready;
  uint8_t data;
};

std::string failure(const std::vector<Cycle>& cycles) {
  return failed_assertion([&] {
    Bench bench;
    for (const Cycle& c : cycles) {
      bench.cycle(c.reset_n, c.valid, c.ready, c.data);
    }
  });
}

TEST(AssertMacros, AnOrderlyStreamPasses) {
  EXPECT_EQ(failure({{1, 0, 0, 1}, {1, 1, 0, 2}, {1, 1, 0, 2}, {1, 1, 1, 2}, {1, 1, 1, 3}, {1, 0, 0, 4}, {1, 1, 1, 5}}),
            "");
}

TEST(AssertMacros, ValidMustStay) { EXPECT_EQ(failure({{1, 1, 0, 2}, {1, 0, 0, 2}}), "InStaysValid"); }

TEST(AssertMacros, DataMustStay) { EXPECT_EQ(failure({{1, 1, 0, 2}, {1, 1, 1, 3}}), "InHoldsData"); }

TEST(AssertMacros, APlainPropertyMustHold) { EXPECT_EQ(failure({{1, 0, 0, 255}}), "DataIsNot255"); }

TEST(AssertMacros, AClockIsEnough) { EXPECT_EQ(failure({{0, 0, 0, 254}}), "DataIsNot254"); }

TEST(AssertMacros, GatesAloneAreEnough) { EXPECT_EQ(failure({{0, 0, 0, 253}}), "DataIsNot253"); }

TEST(AssertMacros, NothingIsCheckedInReset) {
  EXPECT_EQ(failure({{0, 1, 0, 255}, {0, 0, 0, 255}, {0, 1, 0, 2}, {0, 1, 0, 3}}), "");
}

TEST(AssertMacros, TheBenchHasNoAssertionThatIsNotTested) {
  EXPECT_EQ(assertions_of("test/dla_assert_bench.sv"),
            (std::set<std::string>{"DataIsNot253", "DataIsNot254", "DataIsNot255", "InStaysValid", "InHoldsData"}));
}

}  // namespace
}  // namespace fovea
