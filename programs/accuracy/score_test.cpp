// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places, counts, and the interval by hand.
#include "score.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Judge, CountsTheOutputsBeforeTheTrueOne) {
  const std::vector<float> outputs = {1, 5, 3, 5, -2};
  EXPECT_EQ(judge(outputs, 1), (Outcome{1, 0}));
  EXPECT_EQ(judge(outputs, 3), (Outcome{1, 1})) << "of equals the first wins";
  EXPECT_EQ(judge(outputs, 2), (Outcome{1, 2}));
  EXPECT_EQ(judge(outputs, 4), (Outcome{1, 4}));
}

TEST(WilsonInterval, IsTheFormulas) {
  const ShareInterval of_a_hundred = wilson_interval(87, 100);
  EXPECT_NEAR(of_a_hundred.low, 0.7902, 5e-5);
  EXPECT_NEAR(of_a_hundred.high, 0.9224, 5e-5);
  const ShareInterval of_three = wilson_interval(1, 3);
  EXPECT_NEAR(of_three.low, 0.0615, 5e-5);
  EXPECT_NEAR(of_three.high, 0.7923, 5e-5);
}

/// Seen never or always, it says something still: 0 of n goes up to z^2 / (n + z^2).
TEST(WilsonInterval, IsNeverAPoint) {
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_NEAR(wilson_interval(0, 10).high, 3.8415 / 13.8415, 5e-5);
  EXPECT_NEAR(wilson_interval(10, 10).low, 10 / 13.8415, 5e-5);
  EXPECT_DOUBLE_EQ(wilson_interval(10, 10).high, 1);
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(Score, CountsByPlaceAndClass) {
  Score score(7);
  score.add(0, {0, 0});
  score.add(0, {2, 4});
  score.add(6, {2, 5});
  EXPECT_EQ(score.pictures(), 3u);
  EXPECT_EQ(score.right(), 1u);
  EXPECT_EQ(score.among_five(), 2u);
  EXPECT_EQ(score.confusion()[0], (std::vector<uint32_t>{1, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(score.confusion()[6][2], 1u);
}

}  // namespace
}  // namespace fovea
