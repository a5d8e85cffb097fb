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
  dla_shape shape;
  uint32_t dla_mapping::*letter = nullptr;
};

constexpr uint32_t kMost = 4095;  ///< Of H and W.

constexpr dla_shape kPointwise = {.C = 200, .H = 16, .W = 4, .M = 256, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false};
constexpr dla_shape kSmall = {.C = 5, .H = 5, .W = 3, .M = 7, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false};

const LargeShape kShapes[] = {
    {"WidestRow", {.C = 2, .H = 1, .W = kMost, .M = 2, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"WidestPooledRow", {.C = 1, .H = 2, .W = kMost, .M = 2, .R = 2, .S = 1, .U = 1, .PAD = 1, .pool = true}},
    {"HighestColumn", {.C = 2, .H = kMost, .W = 1, .M = 2, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"HighestPaddedColumn", {.C = 1, .H = kMost, .W = 3, .M = 1, .R = 11, .S = 11, .U = 4, .PAD = 5, .pool = false}},
    {"MostChannels", {.C = 65535, .H = 1, .W = 1, .M = 2, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"MostFilters", {.C = 3, .H = 1, .W = 1, .M = 65535, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"ManyFiltersOfOnePixel", {.C = 40, .H = 6, .W = 6, .M = 256, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"LargestFilters", {.C = 24, .H = 16, .W = 16, .M = 8, .R = 11, .S = 11, .U = 1, .PAD = 5, .pool = false}},
    {"FullSpads", {.C = 16, .H = 24, .W = 24, .M = 32, .R = 3, .S = 3, .U = 1, .PAD = 1, .pool = true}},
    {"PaddedWidestRow", {.C = 1, .H = 1, .W = kMost, .M = 1, .R = 1, .S = 1, .U = 1, .PAD = 3, .pool = false}},
    {"PaddedHighestColumn", {.C = 1, .H = kMost, .W = 1, .M = 1, .R = 1, .S = 1, .U = 1, .PAD = 3, .pool = false}},
    {"LargePlanes", {.C = 4, .H = 160, .W = 160, .M = 4, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
    {"MostPeFilters", kPointwise, &dla_mapping::p},
    {"MostChannelsOfAPe", kPointwise, &dla_mapping::q},
    {"MostChannelSets", kPointwise, &dla_mapping::r},
    {"MostFilterSets",
     {.C = 2, .H = 1, .W = 9, .M = 256, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false},
     &dla_mapping::t},
    {"WidestStrip", kPointwise, &dla_mapping::e},
    {"HighestTile",
     {.C = 3, .H = 400, .W = 2, .M = 3, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false},
     &dla_mapping::e_glb},
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
  std::optional<LayerCase> test = draw_large(layers, bench.machine(), large), small = layers.draw_for(kSmall);
  ASSERT_TRUE(test && small) << "SEED=" << kSeed << ": no mapping fits";
  const dla_counters counters = expect_right(bench, *test);
  expect_right(bench, *small);
  std::printf("SEED=%llu: %u cycles, %u passes", static_cast<unsigned long long>(kSeed), counters.cycles,
              counters.passes);
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
