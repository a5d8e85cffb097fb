// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales and biases that are found, against the steps that they are for, sum by sum.
#include "fit_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fovea {
namespace {

/// floor((acc * mul + add) / div), clamped to 0 ... 255.
int64_t down(int64_t acc, int64_t mul, int64_t add, int64_t div) {
  const double quotient = static_cast<double>(acc * mul + add) / static_cast<double>(div);
  return std::clamp<int64_t>(static_cast<int64_t>(std::floor(quotient)), 0, 255);
}

StepFunction steps_of(int64_t first, int64_t last, int64_t mul, int64_t add, int64_t div, int64_t highest = 255) {
  StepFunction function{.first = first, .last = last, .places = {}};
  int64_t place = first;
  for (int64_t level = 1; level <= highest; ++level) {
    while (place <= last && down(place, mul, add, div) < level) {
      ++place;
    }
    function.places.push_back({static_cast<uint8_t>(level), place});
  }
  return function;
}

TEST(FitSteps, GivesTheNumberOfEachSum) {
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const int64_t mul = 1 + random() % 900, div = int64_t{1} << (6 + random() % 8), highest = i % 2 == 0 ? 255 : 15;
    const int64_t add =
        i % 4 < 2 ? mul * (static_cast<int64_t>(random() % 99) - 49) : static_cast<int64_t>(random() % 999);
    const int64_t first = -static_cast<int64_t>(random() % 3000), last = random() % 3000;
    const StepFunction function = steps_of(first, last, mul, add, div, highest);
    const dla_rounding rounding = i % 8 < 4 ? kDlaFloor : kDlaNearestEven;
    const int64_t factor = 1 + i % 3;
    const auto fit = fit_steps(function, factor, 0, rounding);
    found += fit ? 1 : 0;
    for (int64_t acc = first; fit && acc <= last; ++acc) {
      const int64_t value = value_of(*fit, acc, 0, rounding);
      ASSERT_EQ(std::min(value, highest), std::min(down(acc, mul, add, div), highest)) << "case " << i << ", " << acc;
    }
    if (rounding == kDlaFloor && add % mul == 0) {
      ASSERT_TRUE(fit) << "case " << i << ": an offset that is a multiple is a bias";
    }
  }
  EXPECT_GT(found, 60);
}

TEST(FitSteps, FindsTheBiasAtAScale) {
  const StepFunction function = steps_of(-999, 9999, 37, 5 * 37, 1024);
  const auto fit = fit_steps_at(function, 1, 0, kDlaFloor, 37.0F / 1024);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->bias, 5);
  EXPECT_FALSE(fit_steps_at(function, 1, 0, kDlaFloor, 36.0F / 1024));
  EXPECT_FALSE(fit_steps_at(function, 1, 0, kDlaFloor, 0));
}

/// Of two levels any slope will do, and the fewest bits are best.
TEST(FitSteps, OneStepIsAPowerOfTwo) {
  const auto fit = fit_steps(steps_of(-700, 700, 1, 0, 100, 1), 1, 0, kDlaFloor);
  ASSERT_TRUE(fit);
  int exponent = 0;
  EXPECT_EQ(std::frexp(fit->scale, &exponent), 0.5F);
}

/// Rounding up, as if a part of a sum were added.
TEST(FitSteps, FindsNothingWhereNoBiasDoes) {
  const StepFunction up = steps_of(-999, 9999, 37, 1023, 1024);
  for (const dla_rounding rounding : {kDlaFloor, kDlaNearestEven}) {
    EXPECT_FALSE(fit_steps(up, 1, 0, rounding));
  }
}

TEST(FitSteps, SumsStayExactInFloat32) {
  const StepFunction function = steps_of(0, 999, 1, 1 << 25, 1 << 20);
  const auto fit = fit_steps(function, 1, 0, kDlaFloor);
  EXPECT_TRUE(!fit || std::abs(fit->bias) + 999 <= 1 << 24);
}

}  // namespace
}  // namespace fovea
