// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts do not depend on order or on how values are spread; quantiles are those of the sorted values, to a bin.
#include "histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fovea {
namespace {

std::vector<float> drawn_values(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(1, 3);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return normal(random); });
  return values;
}

std::vector<double> counts(const Histogram& histogram) {
  std::vector<double> all;
  for (const Histogram::Bin& bin : histogram.bins()) {
    all.push_back(bin.value);
    all.push_back(bin.count);
  }
  return all;
}

TEST(Histogram, IsTheSameInAnyOrder) {
  std::vector<float> values = drawn_values(5000);
  Histogram at_once, rising, parts, part;
  at_once.add(values);
  std::ranges::sort(values, [](float a, float b) { return std::abs(a) < std::abs(b); });
  for (const float value : values) {
    rising.add({&value, 1});
  }
  parts.add(std::span(values).first(100));
  part.add(std::span(values).subspan(100));
  parts.add(part);
  for (const Histogram* other : {&rising, &parts}) {
    EXPECT_EQ(counts(*other), counts(at_once));
    EXPECT_EQ(other->count(), 5000U);
    EXPECT_EQ(other->least(), *std::ranges::min_element(values));
    EXPECT_EQ(other->most(), *std::ranges::max_element(values));
  }
}

TEST(Histogram, HasQuantilesOfTheSortedValues) {
  std::vector<float> values = drawn_values(10000);
  Histogram histogram;
  histogram.add(values);
  std::ranges::sort(values);
  for (const double part : {0.001, 0.25, 0.5, 0.999}) {
    EXPECT_NEAR(histogram.quantile(part), values[static_cast<std::size_t>(part * 10000) - 1], 16.0 / 8192) << part;
  }
  EXPECT_NEAR(histogram.quantile(1), values.back(), 16.0 / 8192);
}

TEST(Histogram, PutsValuesIntoBinsAroundThem) {
  Histogram histogram;
  histogram.add(std::vector<float>{-1.5F, 0, 0, 3});
  const auto bins = histogram.bins();
  ASSERT_EQ(bins.size(), 3U);
  constexpr double kHalfBin = 4.0 / 8192 / 2;  // Bins reach from -4 to 4.
  EXPECT_DOUBLE_EQ(bins[0].value, -1.5 + kHalfBin);
  EXPECT_DOUBLE_EQ(bins[1].value, kHalfBin);
  EXPECT_EQ(bins[1].count, 2);
  EXPECT_DOUBLE_EQ(bins[2].value, 3 + kHalfBin);
}

TEST(Histogram, HoldsNothingButZeros) {
  Histogram histogram;
  histogram.add(std::vector<float>(3));
  EXPECT_EQ(histogram.least(), 0);
  EXPECT_EQ(histogram.bins().size(), 1U);
}

}  // namespace
}  // namespace fovea
