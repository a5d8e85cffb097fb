// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does every pass of random layers start in the cycle that the rules of docs/timing.md give, and not one before or
/// after? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "common/dram_timing.h"
#include "pass_clock.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 100);

/// Passes of a product each, in which nothing else takes as long as rule 6.
LayerCase short_passes(const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {2, 8, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, false};
  test.layer.mapping = {1, 1, 1, 1, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {0, kDlaFloor, 0, 128, 128};
  EXPECT_EQ(dla_plan_glb(&machine, &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.assign(16, 130);
  test.filter.assign(2, 1);
  test.bias.assign(1, 0);
  return test;
}

class PassRules : public testing::TestWithParam<Scenario> {};

TEST_P(PassRules, GiveEveryCycleOfTheArray) {
  const MachineFile machine = shipped_machine(GetParam().machine);
  RandomLayers random(machine.geometry, kSeed);
  std::vector<LayerCase> layers = {short_passes(machine.geometry)};
  for (uint64_t i = 0; i < kCases; ++i) {
    layers.push_back(random.draw(LayerCoverage()));
  }
  const std::vector<LayerEvents> events = run_for_events(GetParam(), layers);
  std::array<uint64_t, 6> bound{};  // Passes that each rule alone held back.
  for (size_t i = 0; i < layers.size() && !HasFailure(); ++i) {
    const PaperLayer paper = paper_layer(machine.geometry, layers[i].layer);
    ASSERT_EQ(events[i].of("array start").size(), paper.passes.size());
    const PassClock clock(paper, events[i]);
    for (size_t k = 0; k < paper.passes.size(); ++k) {
      SCOPED_TRACE("layer " + std::to_string(i) + ", pass " + std::to_string(k));
      Rules rules = clock.rules(k);
      EXPECT_EQ(events[i].at("ifmap window", k), clock.window(k));
      EXPECT_EQ(events[i].at("array start", k), *std::max_element(rules.begin(), rules.end()));
      EXPECT_EQ(events[i].at("array end", k), clock.end(k));
      const auto last = std::max_element(rules.begin(), rules.end());
      const auto rule = static_cast<size_t>(last - rules.begin());
      bound[rule] += std::count(rules.begin(), rules.end(), *last) == 1 ? 1 : 0;
    }
  }
  for (size_t rule = 0; rule < bound.size(); ++rule) {
    EXPECT_GT(bound[rule], 0u) << "no pass waited for rule " << rule + 1 << " alone; it is not shown to be tight";
  }
}

/// Every backend with each memory but the default.
std::vector<Scenario> slow_memories() {
  std::vector<Scenario> scenarios;
  for (const std::string& backend : backend_names()) {
    for (const std::string& dram : dram_preset_names()) {
      if (dram != "pipelined") {
        scenarios.push_back({backend, "eyeriss_6x8", dram});
      }
    }
  }
  return scenarios;
}

/// The rules hold whatever the memory is like.
INSTANTIATE_TEST_SUITE_P(SlowMemory, PassRules, testing::ValuesIn(slow_memories()),
                         [](const auto& scenario) { return name_of(scenario.param); });

INSTANTIATE_TEST_SUITE_P(Devices, PassRules, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
