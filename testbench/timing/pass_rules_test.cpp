// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does every pass of random layers start in the cycle that the rules of docs/timing.md give, and not one before or
/// after? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "layer_events.h"
#include "paper_passes.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 60);

/// The first cycle that each rule of "Starting a pass" allows, in its order.
using Rules = std::array<uint64_t, 6>;

/// What the page says of the passes of one layer, given when its tokens came.
class PassClock {
 public:
  PassClock(const PaperLayer& layer, const LayerEvents& events) : layer_(layer), events_(events) {}

  /// The first cycle of pass k's last step.
  uint64_t last_step(size_t k) const { return events_.at("array start", k) + 1 + (layer_.F - 1) * of(k).step; }

  uint64_t last_product(size_t k) const { return last_step(k) + of(k).p * of(k).slot - 1; }

  /// From when on the first window of pass k could be asked for: the pass is queued, its chunk in the GLB.
  uint64_t window_possible(size_t k) const {
    const uint64_t queued = events_.at("seq pass", k) + 1;
    return of(k).new_ifmap ? std::max(queued, events_.at("load ifmap", of(k).ifmap) + 1) : queued;
  }

  /// Whether pass k's window is brought in the last step of the pass before.
  bool overlaps(size_t k) const { return k > 0 && window_possible(k) <= last_step(k - 1); }

  uint64_t window(size_t k) const {
    const uint64_t free_from = k == 0 ? 0 : events_.at("array end", k - 1) + 1;
    return overlaps(k) ? last_step(k - 1) : std::max(window_possible(k), free_from);
  }

  uint64_t end(size_t k) const {
    const uint32_t slots = of(k).p * of(k).slot;
    const bool brings_next = k + 1 < layer_.passes.size() && overlaps(k + 1);
    return last_step(k) + (brings_next ? std::max(slots, of(k + 1).fill) : slots) - 1;
  }

  Rules rules(size_t k) const {
    const PaperPass& pass = of(k);
    Rules from{};
    from[0] = overlaps(k) ? events_.at("array end", k - 1) : events_.at("ifmap window", k) + pass.fill + 1;
    from[1] = pass.new_set ? events_.at("filter end", pass.set) + 1 : 0;
    from[2] = pass.last_k && pass.tile >= 2 ? events_.at("store free", pass.tile - 2) + 1 : 0;
    if (k > 0) {
      const uint32_t leaving = of(k - 1).slot_words;
      const bool may_meet = pass.reads_psums && (layer_.F * pass.p - 1) * pass.slot < layer_.D + 3;
      from[3] = last_product(k - 1) + (leaving > pass.slot ? leaving - pass.slot : 0);
      from[4] = may_meet ? last_product(k - 1) + leaving + layer_.D + 2 : 0;
      from[5] = events_.at("array start", k - 1) + 8;
    }
    return from;
  }

 private:
  const PaperPass& of(size_t k) const { return layer_.passes[k]; }

  const PaperLayer& layer_;
  const LayerEvents& events_;
};

/// Passes of a product each, in which nothing else takes as long as rule 6.
LayerCase short_passes(const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {2, 8, 1, 1, 1, 1, 1, 0, false};
  test.layer.mapping = {1, 1, 1, 1, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {0, kDlaFloor, false, 128, 128};
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

/// Every backend with a memory that is waited for.
std::vector<Scenario> slow_memories() {
  std::vector<Scenario> scenarios;
  for (const std::string& backend : backend_names()) {
    scenarios.push_back({backend, "eyeriss_6x8", "lab"});
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
