// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the RTL's answer that of a direct loop nest, on random layers of both machines? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/layer_coverage.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "common/dram_timing.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 600);  ///< On each machine.

void expect_right(LayerCase& test, const LayerOutcome& outcome, const dla_machine& machine) {
  ASSERT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
  ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
  EXPECT_EQ(outcome.ofmap, convolve_directly(test));
  EXPECT_FALSE(outcome.wrote_outside);
  const dla_counters& n = outcome.counters;
  EXPECT_EQ(n.compute_cycles + n.psum_cycles + n.filter_cycles + n.ifmap_cycles + n.dram_cycles + n.output_cycles +
                n.control_cycles,
            n.cycles);
  const ExpectedTraffic expected = expect_traffic(machine, test.layer);
  EXPECT_EQ(n.write_bytes, expected.write_bytes);
  EXPECT_EQ(n.ifmap_read_bytes, expected.ifmap_read_bytes);
  EXPECT_EQ(n.filter_read_bytes, expected.filter_read_bytes);
  EXPECT_EQ(n.residual_read_bytes, expected.residual_read_bytes);
  EXPECT_EQ(n.passes, expected.passes);
}

/// Runs random layers, and adds them to `coverage`. \param share  Of kCases, in percent.
void run_layers(const std::string& machine, const std::string& dram, uint64_t share, LayerCoverage& coverage) {
  DeviceBench bench(machine, dram);
  RandomLayers layers(bench.machine(), kSeed);
  uint64_t cycles = 0;
  for (uint64_t index = 0; index < kCases * share / 100; ++index) {
    LayerCase test = layers.draw(coverage);
    bench.place(test);
    SCOPED_TRACE(machine + ", SEED=" + std::to_string(kSeed) + ", layer " + std::to_string(index) + ": " +
                 describe(test.layer));
    const LayerOutcome outcome = bench.run(test);
    expect_right(test, outcome, bench.machine());
    if (testing::Test::HasFailure()) {
      return;
    }
    coverage.add(test.layer, dla_derive_passes(&bench.machine(), &test.layer.shape, &test.layer.mapping));
    cycles += outcome.counters.cycles;
  }
  std::printf("%s, %s DRAM: %llu layers, %llu cycles\n", machine.c_str(), dram.c_str(),
              static_cast<unsigned long long>(kCases * share / 100), static_cast<unsigned long long>(cycles));
}

TEST(RandomLayers, AgreeWithADirectLoopNestAndCoverEveryKind) {
  std::printf("SEED=%llu CASES=%llu (a machine)\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kCases));
  LayerCoverage coverage;
  for (const std::string& dram : dram_preset_names()) {
    for (const char* machine : kMachines) {
      run_layers(machine, dram, dram == "pipelined" ? 90 : 10, coverage);
      if (HasFailure()) {
        return;
      }
    }
  }
  std::printf("%s", coverage.format().c_str());
  for (const std::string& name : coverage.missing()) {
    ADD_FAILURE() << name << ": seen less than " << LayerCoverage::kEnough << " times; raise CASES";
  }
}

}  // namespace
}  // namespace fovea
