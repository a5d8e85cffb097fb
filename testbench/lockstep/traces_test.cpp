// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the two backends' transaction traces the same, line by line? TRACES=folder keeps them, for diff; SEED, CASES.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 8);

std::filesystem::path folder_of(const std::string& scenario) {
  const char* chosen = std::getenv("TRACES");
  std::filesystem::path folder =
      std::filesystem::path(chosen != nullptr ? chosen : testing::TempDir()) / ("traces_" + scenario);
  std::filesystem::create_directories(folder);
  return folder;
}

/// Expects equal files; shows the first lines that differ. \return the lines compared.
uint64_t expect_equal_traces(const std::filesystem::path& folder) {
  std::ifstream rtl(folder / "rtl.txt"), systemc(folder / "systemc.txt");
  std::string expected, found;
  uint64_t lines = 0;
  for (;;) {
    const bool more = static_cast<bool>(std::getline(rtl, expected));
    EXPECT_EQ(more, static_cast<bool>(std::getline(systemc, found))) << "one trace ends after line " << lines;
    if (!more || testing::Test::HasFailure()) {
      return lines;
    }
    ++lines;
    EXPECT_EQ(expected, found) << "line " << lines << " of " << folder.string();
  }
}

class Traces : public testing::TestWithParam<LockstepScenario> {};

TEST_P(Traces, AreEqual) {
  const std::filesystem::path folder = folder_of(name_of(GetParam()));
  LockstepBench bench(GetParam().machine, GetParam().dram, folder);
  RandomLayers random(bench.rtl.machine(), kSeed);
  for (uint64_t index = 0; index < kCases; ++index) {
    LayerCase test = random.draw(LayerCoverage());
    bench.rtl.place(test);
    SCOPED_TRACE("layer " + std::to_string(index) + ": " + describe(test.layer));
    for (DeviceBench* device : {&bench.rtl, &bench.systemc}) {
      device->hal().note_layer(device->hal().ctx, ("layer " + std::to_string(index)).c_str());
    }
    run_on_both(bench, test);
  }
  bench.rtl.backend().finish();
  bench.systemc.backend().finish();
  EXPECT_GT(expect_equal_traces(folder), 50 * kCases);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Traces, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
