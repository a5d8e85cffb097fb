// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree on every layer's results, cycles, causes and bytes? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include "bench/number_from_environment.h"
#include "lockstep_layers.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 100);  ///< Of all scenarios together.

class RandomLockstep : public testing::TestWithParam<LockstepScenario> {};

TEST_P(RandomLockstep, ModelAndRtlAgree) {
  const uint64_t scenarios = lockstep_scenarios().size();
  expect_lockstep(GetParam(), kSeed, (kCases + scenarios - 1) / scenarios);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, RandomLockstep, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
