// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the RTL's answer that of a direct loop nest where a dimension is as large as its field, or the PEs are full?
/// SEED=n draws other mappings.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
constexpr int kDraws = 60;

struct LargeShape {
  const char* name;
  dla_shape shape;
};

constexpr uint32_t kMost = 4095;  ///< Of H and W.

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
    {"LargePlanes", {.C = 4, .H = 160, .W = 160, .M = 4, .R = 1, .S = 1, .U = 1, .PAD = 0, .pool = false}},
};

class LargeDimensions : public testing::TestWithParam<std::tuple<const char*, LargeShape>> {};

/// Of many mappings the one with the fewest passes: a layer of this size with others takes too long.
std::optional<LayerCase> draw_short(RandomLayers& layers, const dla_machine& machine, const dla_shape& shape) {
  std::optional<LayerCase> best;
  for (int i = 0; i < kDraws; ++i) {
    std::optional<LayerCase> test = layers.draw_for(shape);
    if (test && (!best || expect_traffic(machine, test->layer).passes < expect_traffic(machine, best->layer).passes)) {
      best = test;
    }
  }
  return best;
}

TEST_P(LargeDimensions, AreRight) {
  const auto& [machine, large] = GetParam();
  DeviceBench bench{std::string(machine)};
  RandomLayers layers(bench.machine(), kSeed);
  std::optional<LayerCase> test = draw_short(layers, bench.machine(), large.shape);
  ASSERT_TRUE(test) << "SEED=" << kSeed << ": no mapping fits";
  const LayerOutcome outcome = bench.run(*test);
  ASSERT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
  ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
  EXPECT_EQ(outcome.ofmap, convolve_directly(*test));
  EXPECT_FALSE(outcome.wrote_outside);
  std::printf("SEED=%llu: %u cycles, %u passes\n", static_cast<unsigned long long>(kSeed), outcome.counters.cycles,
              outcome.counters.passes);
}

INSTANTIATE_TEST_SUITE_P(Machines, LargeDimensions,
                         testing::Combine(testing::ValuesIn(kMachines), testing::ValuesIn(kShapes)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)) + "_" + std::get<1>(row.param).name;
                         });

}  // namespace
}  // namespace fovea
