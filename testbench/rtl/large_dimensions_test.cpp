// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the RTL's answer that of a direct loop nest where a dimension is as large as its field, or a letter of the
/// mapping as large as the machine has it; and does nothing of that stay for the layer behind it? SEED=n draws other
/// mappings.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
constexpr int kDraws = 60, kLetterDraws = 600;

/// A shape, and what of the mapping is large; where nothing is, the mapping has few passes.
struct LargeShape {
  const char* name;
  dla_shape shape;  ///< C, H, W, M, R, S, U, V; pads at the top, left, bottom and right; pool.
  uint32_t dla_mapping::*letter = nullptr;
};

constexpr uint32_t kMost = 4095;  ///< Of H and W.

constexpr dla_shape kPointwise = {200, 16, 4, 256, 1, 1, 1, 1, 0, 0, 0, 0, false};
constexpr dla_shape kSmall = {5, 5, 3, 7, 1, 1, 1, 1, 0, 0, 0, 0, false};

const LargeShape kShapes[] = {
    {"WidestRow", {2, 1, kMost, 2, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"WidestPooledRow", {1, 2, kMost, 2, 2, 1, 1, 1, 1, 10, 0, 9, true}},
    {"WidestRowOfWindowsThatOverlap",
     {1, 3, kMost, 2, 3, 1, 1, 1, 1, 10, 2, 9, true, false, false, 0, false, 3, 2, 1, 2, 1, 2}},
    {"HighestColumn", {2, kMost, 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"HighestPaddedColumn", {1, kMost, 3, 1, 11, 11, 4, 3, 9, 10, 10, 8, false}},
    {"MostChannels", {65535, 1, 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"MostFilters", {3, 1, 1, 65535, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"ManyFiltersOfOnePixel", {40, 6, 6, 256, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"LargestFilters", {24, 16, 16, 8, 11, 11, 1, 1, 10, 4, 3, 10, false}},
    {"FullSpads", {16, 24, 24, 32, 3, 3, 1, 1, 1, 1, 1, 1, true}},
    {"PaddedWidestRow", {1, 1, kMost, 1, 1, 1, 1, 1, 0, 10, 1, 10, false}},
    {"HighestColumnOfWindowsApart",
     {1, kMost, 2, 1, 1, 1, 1, 1, 1, 0, 1, 1, true, false, false, 0, false, 2, 3, 1, 0, 1, 1}},
    {"PaddedHighestColumn", {1, kMost, 1, 1, 1, 1, 1, 1, 10, 0, 10, 1, false}},
    {"WidestSteps", {1, 3, kMost, 1, 3, 1, 1, 4, 0, 0, 0, 1, false}},
    {"HighestSteps", {1, kMost, 3, 1, 1, 3, 4, 1, 0, 0, 10, 0, false}},
    {"LargePlanes", {4, 160, 160, 4, 1, 1, 1, 1, 0, 0, 0, 0, false}},
    {"MostPeFilters", kPointwise, &dla_mapping::p},
    {"MostChannelsOfAPe", kPointwise, &dla_mapping::q},
    {"MostChannelSets", kPointwise, &dla_mapping::r},
    {"MostFilterSets", {2, 1, 9, 256, 1, 1, 1, 1, 0, 0, 0, 0, false}, &dla_mapping::t},
    {"WidestStrip", kPointwise, &dla_mapping::e},
    {"HighestTile", {3, 400, 2, 3, 1, 1, 1, 1, 0, 0, 0, 0, false}, &dla_mapping::e_glb},
};

class LargeDimensions : public testing::TestWithParam<std::tuple<const char*, LargeShape>> {};

/// Of many mappings the one with the largest `letter`, and of those the one with the fewest passes: a layer of this
/// size with others takes too long.
std::optional<LayerCase> draw_large(RandomLayers& layers, const dla_machine& machine, const LargeShape& large) {
  const auto size_of = [&](const LayerCase& test) {
    const uint32_t letter = large.letter != nullptr ? test.layer.mapping.*large.letter : 0;
    return std::pair(letter, -static_cast<int64_t>(expect_traffic(machine, test.layer).passes));
  };
  std::optional<LayerCase> best;
  for (int i = 0; i < (large.letter != nullptr ? kLetterDraws : kDraws); ++i) {
    std::optional<LayerCase> test = layers.draw_for(large.shape);
    if (test && (!best || size_of(*best) < size_of(*test))) {
      best = test;
    }
  }
  return best;
}

/// As draw_large(), of rows that become shorter until one fits: wide networks leave little of the GLB to each column.
std::optional<LayerCase> draw_widest(RandomLayers& layers, const dla_machine& machine, LargeShape large) {
  std::optional<LayerCase> best = draw_large(layers, machine, large);
  for (; !best && large.shape.W > kMost / 2; large.shape.W -= kMost / 16) {
    best = draw_large(layers, machine, large);
  }
  return best;
}

/// Runs it. \return the device's counters.
dla_counters expect_right(DeviceBench& bench, LayerCase& test) {
  const LayerOutcome outcome = bench.run(test);
  EXPECT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
  EXPECT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
  EXPECT_EQ(outcome.ofmap, convolve_directly(test));
  EXPECT_FALSE(outcome.wrote_outside);
  return outcome.counters;
}

TEST_P(LargeDimensions, AreRight) {
  const auto& [machine, large] = GetParam();
  DeviceBench bench{std::string(machine)};
  RandomLayers layers(bench.machine(), kSeed);
  std::optional<LayerCase> test = draw_widest(layers, bench.machine(), large), small = layers.draw_for(kSmall);
  ASSERT_TRUE(test && small) << "SEED=" << kSeed << ": no mapping fits";
  const dla_counters counters = expect_right(bench, *test);
  expect_right(bench, *small);
  std::printf("SEED=%llu: %u columns, %u cycles, %u passes", static_cast<unsigned long long>(kSeed),
              test->layer.shape.W, counters.cycles, counters.passes);
  if (large.letter != nullptr) {
    std::printf(", %u of its letter", test->layer.mapping.*large.letter);
  }
  std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(Machines, LargeDimensions,
                         testing::Combine(testing::ValuesIn(kMachines), testing::ValuesIn(kShapes)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)) + "_" + std::get<1>(row.param).name;
                         });

}  // namespace
}  // namespace fovea
