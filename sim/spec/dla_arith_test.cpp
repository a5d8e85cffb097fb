// SPDX-License-Identifier: Apache-2.0
/// \file
/// The arithmetic against long double and against the definition of each rounding, bit for bit.
#include "dla_arith.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

/// The quotient exactly: int32 / 2^31 needs 63 bits, which long double's 64-bit significand holds.
long double quotient(std::int32_t x, unsigned shift) {
  return std::ldexp(static_cast<long double>(x), -static_cast<int>(shift));
}

std::vector<std::int32_t> interesting_values() {
  std::vector<std::int32_t> values = {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
  for (unsigned bit = 0; bit < 31; ++bit) {
    for (int near = -3; near <= 3; ++near) {
      values.push_back((1 << bit) + (bit == 30 ? std::min(near, 0) : near));
      values.push_back(-(1 << bit) + near);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    values.push_back(static_cast<std::int32_t>(random()));
  }
  return values;
}

TEST(RoundShift, NearestEvenIsTheRoundingOfIeee754) {
  ASSERT_EQ(std::fegetround(), FE_TONEAREST);
  for (const std::int32_t x : interesting_values()) {
    for (unsigned shift = 0; shift < 32; ++shift) {
      ASSERT_EQ(dla_round_shift(x, shift, kDlaNearestEven), std::nearbyint(quotient(x, shift))) << x << " >> " << shift;
    }
  }
}

TEST(RoundShift, FloorIsAnArithmeticShift) {
  for (const std::int32_t x : interesting_values()) {
    for (unsigned shift = 0; shift < 32; ++shift) {
      ASSERT_EQ(dla_round_shift(x, shift, kDlaFloor), std::floor(quotient(x, shift))) << x << " >> " << shift;
    }
  }
}

TEST(RoundShift, TiesGoToEven) {
  EXPECT_EQ(dla_round_shift(1, 1, kDlaNearestEven), 0);
  EXPECT_EQ(dla_round_shift(3, 1, kDlaNearestEven), 2);
  EXPECT_EQ(dla_round_shift(5, 1, kDlaNearestEven), 2);
  EXPECT_EQ(dla_round_shift(-1, 1, kDlaNearestEven), 0);
  EXPECT_EQ(dla_round_shift(-3, 1, kDlaNearestEven), -2);
}

TEST(WrapAdd, IsModulo2To32) {
  EXPECT_EQ(dla_wrap_add(kMax, 1), kMin);
  EXPECT_EQ(dla_wrap_add(kMin, -1), kMax);
  EXPECT_EQ(dla_wrap_add(-5, 3), -2);
}

TEST(Requantize, ClampsOnBothSides) {
  EXPECT_EQ(dla_requantize(kMax, 0, kDlaFloor, false, 255), 255);
  EXPECT_EQ(dla_requantize(kMin, 0, kDlaFloor, false, 0), 0);
  EXPECT_EQ(dla_requantize(127, 0, kDlaFloor, false, 128), 255);
  EXPECT_EQ(dla_requantize(128, 0, kDlaFloor, false, 128), 255);
  EXPECT_EQ(dla_requantize(-128, 0, kDlaFloor, false, 128), 0);
}

TEST(Requantize, ReluComesBeforeTheZeroPoint) {
  EXPECT_EQ(dla_requantize(-64, 4, kDlaFloor, true, 128), 128);
  EXPECT_EQ(dla_requantize(-64, 4, kDlaFloor, false, 128), 124);
  EXPECT_EQ(dla_requantize(64, 4, kDlaFloor, true, 128), 132);
}

/// Why pooling may come before or after: requantization never swaps two values.
TEST(Requantize, IsMonotonic) {
  std::vector<std::int32_t> values = interesting_values();
  std::sort(values.begin(), values.end());
  for (const dla_rounding rounding : {kDlaNearestEven, kDlaFloor}) {
    for (unsigned shift = 0; shift < 32; ++shift) {
      for (std::size_t i = 1; i < values.size(); ++i) {
        ASSERT_LE(dla_requantize(values[i - 1], shift, rounding, false, 128),
                  dla_requantize(values[i], shift, rounding, false, 128));
      }
    }
  }
}

}  // namespace
