// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do the mapper's access counts equal the device's counters on random layers? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "bench/device_bench.h"
#include "bench/layer_coverage.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "mapping/mapper.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2025);
const uint64_t kCases = number_from_environment("CASES", 200);

class AccessCountsOnDevice : public testing::TestWithParam<const char*> {};

TEST_P(AccessCountsOnDevice, EqualTheCounters) {
  BackendOptions options;
  options.machine = shipped_machine(GetParam());
  options.memory_bytes = DeviceBench::kMemoryBytes;
  DeviceBench bench(options.machine, open_backend("systemc", options));
  RandomLayers random(bench.machine(), kSeed);
  LayerCoverage coverage;
  std::printf("SEED=%llu\n", static_cast<unsigned long long>(kSeed));
  for (uint64_t index = 0; index < kCases; ++index) {
    LayerCase test = random.draw(coverage);
    test.ifmap_offset = test.ofmap_offset = 0;  // The compiler's tensors start at whole bus words.
    const LayerOutcome outcome = bench.run(test);
    ASSERT_EQ(outcome.error, kDlaErrorNone);
    const AccessCounts counts = count_accesses(bench.machine(), test.layer.shape, test.layer.mapping);
    SCOPED_TRACE("layer " + std::to_string(index) + ": " + to_text(test.layer.mapping));
    ASSERT_EQ(counts.dram_bytes.ifmap, outcome.counters.ifmap_read_bytes);
    ASSERT_EQ(counts.dram_bytes.filter, outcome.counters.filter_read_bytes);
    ASSERT_EQ(counts.dram_bytes.residual, outcome.counters.residual_read_bytes);
    ASSERT_EQ(counts.dram_bytes.ofmap, outcome.counters.write_bytes);
    ASSERT_EQ(counts.glb_reads.total(), outcome.counters.glb_read_words);
    ASSERT_EQ(counts.glb_writes.total(), outcome.counters.glb_write_words);
    coverage.add(test.layer, dla_derive_passes(&bench.machine(), &test.layer.shape, &test.layer.mapping));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, AccessCountsOnDevice, testing::Values("eyeriss_6x8", "eyeriss_12x14"),
                         [](const auto& machine) { return std::string(machine.param); });

}  // namespace
}  // namespace fovea
