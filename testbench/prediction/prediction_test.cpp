// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is predicted against the device over random (layer, mapping) pairs: DRAM bytes exactly, cycles closely.
/// SEED=n draws others, CASES=n more.
#include "prediction.h"

#include <gtest/gtest.h>

#include "bench/number_from_environment.h"

namespace fovea {
namespace {

const std::uint64_t kSeed = number_from_environment("SEED", 1);
const int kCases = static_cast<int>(number_from_environment("CASES", 300));  ///< On both machines together.

/// A machine and its memory, and the largest errors allowed, in percent.
struct Bar {
  const char *machine, *dram;
  double mean, worst;
};

void PrintTo(const Bar& bar, std::ostream* out) { *out << bar.machine << "_" << bar.dram; }

class Prediction : public testing::TestWithParam<Bar> {};

TEST_P(Prediction, HoldsOverRandomPairs) {
  const Bar bar = GetParam();
  const std::vector<PredictedLayer> layers = measure_random_pairs(bar.machine, "systemc", bar.dram, kSeed, kCases / 2);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const PredictedLayer& layer = layers[i];
    SCOPED_TRACE("SEED=" + std::to_string(kSeed) + ", layer " + std::to_string(i));
    ASSERT_TRUE(layer.has_run);
    EXPECT_TRUE(layer.bytes_agree());
    EXPECT_EQ(layer.predicted.cycles, layer.predicted.causes.total());
    // Each multiplication is in a cycle that computes, in the model as on the device.
    EXPECT_EQ(layer.predicted.causes.compute, layer.measured.compute_cycles);
  }
  const ErrorSummary errors = summarize(layers);
  EXPECT_LE(errors.mean, bar.mean);
  EXPECT_LE(errors.worst, bar.worst);
  std::printf("%s, %s, SEED=%llu: %zu pairs, mean error %.2f %%, worst %.2f %%\n", bar.machine, bar.dram,
              static_cast<unsigned long long>(kSeed), layers.size(), errors.mean, errors.worst);
}

INSTANTIATE_TEST_SUITE_P(Machines, Prediction,
                         testing::Values(Bar{"eyeriss_6x8", "pipelined", 0.01, 1},
                                         Bar{"eyeriss_12x14", "pipelined", 0.01, 1}, Bar{"eyeriss_6x8", "ddr", 0.5, 30},
                                         Bar{"eyeriss_12x14", "ddr", 0.5, 30}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace fovea
