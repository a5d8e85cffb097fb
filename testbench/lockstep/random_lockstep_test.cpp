// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree on every layer's results, cycles, causes and bytes? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "bench/number_from_environment.h"
#include "lockstep_bench.h"
#include "lockstep_layers.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 100);  ///< Of all scenarios together.

class RandomLockstep : public testing::TestWithParam<LockstepScenario> {};

TEST_P(RandomLockstep, ModelAndRtlAgree) {
  const auto [machine, dram] = GetParam();
  const uint64_t scenarios = lockstep_scenarios().size();
  const uint64_t cases = (kCases + scenarios - 1) / scenarios;
  LockstepBench bench(machine, dram);
  LockstepLayers layers(bench.rtl.machine(), kSeed);
  uint64_t cycles = 0;
  for (uint64_t index = 0; index < cases; ++index) {
    LayerCase test = layers.draw();
    bench.rtl.place(test);
    SCOPED_TRACE(machine + ", " + dram + ", SEED=" + std::to_string(kSeed) + ", layer " + std::to_string(index) + ": " +
                 describe(test.layer));
    cycles += run_on_both(bench, test).counters.cycles;
    if (HasFailure()) {
      return;
    }
  }
  std::printf("%s, %s DRAM, SEED=%llu: %llu layers, %llu cycles, no difference\n", machine.c_str(), dram.c_str(),
              static_cast<unsigned long long>(kSeed), static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(cycles));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, RandomLockstep, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
