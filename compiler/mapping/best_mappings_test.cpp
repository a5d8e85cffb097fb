// SPDX-License-Identifier: Apache-2.0
/// \file
/// The list stays sorted, short, and one a kind.
#include "best_mappings.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

constexpr dla_shape kShape = {8, 8, 8, 12, 3, 3, 1, 1, 1, 1, 1, 1, false};

dla_mapping mapping(std::uint32_t p, std::uint32_t m) {
  return {m, 1, 8, p, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels};
}

TEST(BestMappings, KeepsTheBestOfEachKind) {
  BestMappings best(kShape, 2);
  EXPECT_TRUE(best.takes({9}));
  best.add({5}, mapping(1, 12));
  best.add({4}, mapping(2, 11));
  best.add({3}, mapping(2, 6));  // Two tiles as well, and better.
  ASSERT_EQ(best.best().size(), 2u);
  EXPECT_EQ(best.best()[0].mapping.m, 6u);
  EXPECT_EQ(best.best()[1].mapping.p, 1u);
  best.add({3.5}, mapping(2, 7));  // The same, and worse than the one there is.
  EXPECT_EQ(best.best()[1].mapping.p, 1u);
  EXPECT_FALSE(best.takes({5}));
  best.add({1}, mapping(3, 12));
  ASSERT_EQ(best.best().size(), 2u);
  EXPECT_EQ(best.best()[0].mapping.p, 3u);
  EXPECT_EQ(best.best()[1].mapping.p, 2u);
}

TEST(BestMappings, TakesNothingThatIsNotBelow) {
  BestMappings best(kShape, 1, {4});
  EXPECT_FALSE(best.takes({4}));
  EXPECT_TRUE(best.takes({3}));
  best.add({2}, mapping(1, 12));
  EXPECT_FALSE(best.takes({3}));
}

}  // namespace
}  // namespace fovea
