// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random layers on model and RTL, one after another.
#include "lockstep_layers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/layer_coverage.h"
#include "bench/random_layer.h"
#include "bench/random_pairs.h"

namespace fovea {

void expect_lockstep(const LockstepScenario& scenario, uint64_t seed, uint64_t cases) {
  LockstepBench bench(scenario.machine, scenario.dram);
  const dla_machine& machine = bench.rtl.machine();
  RandomLayers small(machine, seed);
  RandomPairs large(machine, seed, 5'000'000);
  LayerCoverage coverage;
  uint64_t cycles = 0;
  for (uint64_t index = 0; index < cases; ++index) {
    LayerCase test = index % 20 == 2 ? large.draw() : small.draw(coverage);
    coverage.add(test.layer, dla_derive_passes(&machine, &test.layer.shape, &test.layer.mapping));
    bench.rtl.place(test);
    SCOPED_TRACE(name_of(scenario) + ", SEED=" + std::to_string(seed) + ", layer " + std::to_string(index) + ": " +
                 describe(test.layer));
    const LayerOutcome outcome = run_on_both(bench, test);
    EXPECT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    EXPECT_TRUE(outcome.ofmap == convolve_directly(test)) << "the ofmap is wrong";
    const ExpectedTraffic expected = expect_traffic(machine, test.layer);
    EXPECT_EQ(outcome.counters.ifmap_read_bytes, expected.ifmap_read_bytes);
    EXPECT_EQ(outcome.counters.filter_read_bytes, expected.filter_read_bytes);
    EXPECT_EQ(outcome.counters.write_bytes, expected.write_bytes);
    EXPECT_EQ(outcome.counters.residual_read_bytes, expected.residual_read_bytes);
    if (::testing::Test::HasFailure()) {
      return;
    }
    cycles += outcome.counters.cycles;
  }
  std::printf("%s, %s DRAM, SEED=%llu: %llu layers, %llu cycles, no difference\n", scenario.machine.c_str(),
              scenario.dram.c_str(), static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(cycles));
}

}  // namespace fovea
