// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model against the device over random (layer, mapping) pairs: DRAM bytes exactly, cycles closely.
/// SEED=n draws others, CASES=n more.
#include "prediction.h"

#include <gtest/gtest.h>

#include "bench/number_from_environment.h"

namespace fovea {
namespace {

const std::uint64_t kSeed = number_from_environment("SEED", 1);
const int kCases = static_cast<int>(number_from_environment("CASES", 200));  ///< On both machines together.

class Prediction : public testing::TestWithParam<const char*> {};

TEST_P(Prediction, HoldsOverRandomPairs) {
  const std::vector<PredictedLayer> layers = measure_random_pairs(GetParam(), "systemc", kSeed, kCases / 2);
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
  EXPECT_LE(errors.mean, 3.0);
  EXPECT_LE(errors.worst, 10.0);
  std::printf("%s, SEED=%llu: %zu pairs, mean error %.2f %%, worst %.2f %%\n", GetParam(),
              static_cast<unsigned long long>(kSeed), layers.size(), errors.mean, errors.worst);
}

INSTANTIATE_TEST_SUITE_P(Machines, Prediction, testing::Values("eyeriss_6x8", "eyeriss_12x14"),
                         [](const auto& machine) { return std::string(machine.param); });

}  // namespace
}  // namespace fovea
