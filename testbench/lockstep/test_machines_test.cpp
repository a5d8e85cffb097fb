// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree, and with a direct loop nest, on every bus, number of psum lanes and width of the networks?
/// SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "bench/number_from_environment.h"
#include "lockstep_layers.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 300);  ///< Of all machines together.

class TestMachines : public testing::TestWithParam<LockstepScenario> {};

TEST_P(TestMachines, ModelAndRtlAgree) {
  const uint64_t scenarios = test_machine_scenarios().size();
  expect_lockstep(GetParam(), kSeed, (kCases + scenarios - 1) / scenarios);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, TestMachines, testing::ValuesIn(test_machine_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

TEST(TestMachinesTogether, HaveEachWidth) {
  std::set<uint32_t> buses, lanes, ifmap_bytes, filter_bytes;
  uint32_t most_filters = 0;
  for (const char* name : kTestMachines) {
    const dla_machine machine = machine_of(name).geometry;
    EXPECT_LE(machine.rows, 6u) << name;
    EXPECT_LE(machine.cols, 8u) << name;
    buses.insert(machine.bus_bytes);
    lanes.insert(machine.psum_lanes);
    ifmap_bytes.insert(machine.ifmap_bytes_per_cycle);
    filter_bytes.insert(machine.filter_bytes_per_cycle);
    most_filters = std::max(most_filters, machine.max_pass_filters);
  }
  const std::set<uint32_t> all = {1, 2, 4, 8, 16};
  EXPECT_EQ(buses, (std::set<uint32_t>{4, 8, 16}));
  EXPECT_EQ(lanes, all);
  EXPECT_EQ(ifmap_bytes, all);
  EXPECT_EQ(filter_bytes, all);
  EXPECT_EQ(most_filters, 256u);
}

}  // namespace
}  // namespace fovea
