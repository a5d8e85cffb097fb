// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is each random layer right on both devices, in everything that can be asked of it? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "bench/layer_coverage.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/random_pairs.h"
#include "directed_layers.h"
#include "judges.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
constexpr uint64_t kShippedCases = 1200, kSmallCases = 150;  ///< Of all scenarios of a group together.

struct Judge {
  const char* name;
  void (*judge)(const LayerRun& run, Tally& tally);
};

/// In this order: the first that finds fault ends the test.
constexpr Judge kJudges[] = {
    {"answer", judge_answer},         {"traffic", judge_traffic},
    {"lockstep", judge_lockstep},     {"access counts", judge_access_counts},
    {"prediction", judge_prediction}, {"sequencer", judge_sequencer},
    {"loads", judge_loads},           {"filter sets", judge_filter_sets},
    {"passes", judge_passes},         {"causes", judge_causes},
    {"tiles", judge_tiles},           {"first write", judge_first_write},
};

/// What the layers of the machines that ship must show: each part of a rule must have been the last to hold.
constexpr const char* kMustBeSeen[] = {
    "a filter set waits for its chunk",
    "a filter set waits for a half of the spads",
    "a filter set waits for the set before",
    "a pass waits for rule 1 alone",
    "a pass waits for rule 2 alone",
    "a pass waits for rule 3 alone",
    "a pass waits for rule 4 alone",
    "a pass waits for rule 5 alone",
    "a pass waits for rule 6 alone",
    "a cycle waits for filters",
    "a cycle waits for the ifmap",
    "a cycle waits for the DRAM",
    "a cycle waits for outputs",
    "a tile meets an empty queue",
    "a run ends beside the first word of the next",
    "a tile waits for its residual alone",
};

/// Machines with every memory, and what their layers have shown together.
struct Group {
  std::vector<LockstepScenario> scenarios;
  uint64_t cases;  ///< Of all scenarios together.
  LayerCoverage coverage;
  Tally tally;
  size_t passed = 0;  ///< Scenarios.
};

/// Most layers with the default memory.
uint64_t weight(const LockstepScenario& scenario) { return scenario.dram == "pipelined" ? 9 : 1; }

uint64_t cases_of(const Group& group, const LockstepScenario& scenario) {
  uint64_t weights = 0;
  for (const LockstepScenario& one : group.scenarios) {
    weights += weight(one);
  }
  return (group.cases * weight(scenario) + weights - 1) / weights;
}

/// Draws the layers of a scenario: two directed ones, then small ones, and one in 120 of a size that networks' have.
/// Two small layers in five have their tensors where the compiler would place them, or on chip.
class LayerDraw {
 public:
  LayerDraw(const dla_machine& machine, uint64_t seed)
      : machine_(machine), small_(machine, seed, Places::kAny), large_(machine, seed, kMostMacs, Places::kAny) {}

  DrawnLayer draw() {
    DrawnLayer drawn;
    const uint64_t number = number_++;
    drawn.is_as_compiled = number < 2 || number % 120 == 2 || number % 5 < 2;
    drawn.test = number == 0         ? short_passes(machine_)
                 : number == 1       ? short_tiles(machine_)
                 : number % 120 == 2 ? large_.draw()
                                     : small_.draw(coverage_);
    if (drawn.is_as_compiled) {
      drawn.test.ifmap_offset = drawn.test.ofmap_offset = 0;
    }
    coverage_.add(drawn.test.layer, dla_derive_passes(&machine_, &drawn.test.layer.shape, &drawn.test.layer.mapping));
    return drawn;
  }

 private:
  static constexpr uint64_t kMostMacs = 1'500'000;

  const dla_machine machine_;
  RandomLayers small_;
  RandomPairs large_;
  LayerCoverage coverage_;
  uint64_t number_ = 0;
};

/// Asks every judge, up to the first that finds fault.
void ask_judges(const LayerRun& run, Tally& tally) {
  for (const Judge& judge : kJudges) {
    SCOPED_TRACE(std::string("judge: ") + judge.name);
    judge.judge(run, tally);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

void run_scenario(Group& group, size_t number) {
  constexpr uint64_t kBatch = 100;  // Layers of which the events are kept at a time.
  const LockstepScenario& scenario = group.scenarios.at(number);
  const dla_machine machine = machine_of(scenario.machine).geometry;
  LayerDraw draw(machine, kSeed * group.scenarios.size() + number);
  Tally tally;
  uint64_t cycles = 0;
  const uint64_t cases = cases_of(group, scenario);
  for (uint64_t first = 0; first < cases; first += kBatch) {
    std::vector<DrawnLayer> layers;
    while (layers.size() < std::min(kBatch, cases - first)) {
      layers.push_back(draw.draw());
    }
    const std::vector<LayerRun> runs = run_layers(scenario, std::move(layers));
    for (size_t i = 0; i < runs.size(); ++i) {
      const dla_layer& layer = runs[i].test.layer;
      SCOPED_TRACE(name_of(scenario) + ", SEED=" + std::to_string(kSeed) + ", layer " + std::to_string(first + i) +
                   ": " + describe(layer));
      ask_judges(runs[i], tally);
      if (testing::Test::HasFailure()) {
        return;
      }
      group.coverage.add(layer, dla_derive_passes(&machine, &layer.shape, &layer.mapping));
      cycles += runs[i].rtl.counters.cycles;
    }
  }
  judge_all_predictions(scenario.dram, tally);
  if (testing::Test::HasFailure()) {
    return;
  }
  for (const auto& [what, times] : tally.seen) {
    group.tally.seen[what] += times;
  }
  ++group.passed;
  std::printf("%s, %s DRAM, SEED=%llu: %llu layers, %llu cycles, no difference; prediction %.3f %% off\n",
              scenario.machine.c_str(), scenario.dram.c_str(), static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(cycles), tally.error_percent());
}

/// Expects that the layers of all scenarios together were of every kind and held back by every rule.
void expect_complete(const Group& group) {
  std::printf("%s", group.coverage.format().c_str());
  for (const std::string& name : group.coverage.missing()) {
    ADD_FAILURE() << name << ": seen less than " << LayerCoverage::kEnough << " times";
  }
  for (const char* what : kMustBeSeen) {
    const auto found = group.tally.seen.find(what);
    EXPECT_TRUE(found != group.tally.seen.end() && found->second > 0) << what << ": never seen";
  }
}

Group& shipped() {
  static Group group = {lockstep_scenarios(), number_from_environment("CASES", kShippedCases), {}, {}, 0};
  return group;
}

Group& small() {
  static Group group = {test_machine_scenarios(), number_from_environment("CASES", kSmallCases), {}, {}, 0};
  return group;
}

Group& full_small() {
  static Group group = {full_test_machine_scenarios(), number_from_environment("CASES", kSmallCases), {}, {}, 0};
  return group;
}

/// Of a group and the number of one of its scenarios.
struct Choice {
  Group& (*group)();
  size_t number;
};

std::vector<Choice> choices(Group& (*group)()) {
  std::vector<Choice> all;
  for (size_t number = 0; number < group().scenarios.size(); ++number) {
    all.push_back({group, number});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Choice>& choice) {
  return name_of(choice.param.group().scenarios.at(choice.param.number));
}

void PrintTo(const Choice& choice, std::ostream* out) { *out << name_of(choice.group().scenarios.at(choice.number)); }

class RandomLayersOf : public testing::TestWithParam<Choice> {
 public:
  /// Where all scenarios of the machines that ship have run, with as many layers as are enough, and no fault was found.
  static void TearDownTestSuite() {
    if (shipped().passed == shipped().scenarios.size() && shipped().cases >= kShippedCases) {
      expect_complete(shipped());
      shipped().passed = 0;
    }
  }
};

TEST_P(RandomLayersOf, AreRight) { run_scenario(GetParam().group(), GetParam().number); }

INSTANTIATE_TEST_SUITE_P(Shipped, RandomLayersOf, testing::ValuesIn(choices(shipped)), name_of);
INSTANTIATE_TEST_SUITE_P(Small, RandomLayersOf, testing::ValuesIn(choices(small)), name_of);
INSTANTIATE_TEST_SUITE_P(Full, RandomLayersOf, testing::ValuesIn(choices(full_small)), name_of);

/// Each width that a machine can have is a machine's of make check.
TEST(MachinesTogether, HaveEachWidth) {
  std::vector<const char*> names(std::begin(kMachines), std::end(kMachines));
  names.insert(names.end(), std::begin(kTestMachines), std::end(kTestMachines));
  std::set<uint32_t> buses, lanes, ifmap_bytes, filter_bytes, most_filters;
  for (const char* name : names) {
    const dla_machine machine = machine_of(name).geometry;
    buses.insert(machine.bus_bytes);
    lanes.insert(machine.psum_lanes);
    ifmap_bytes.insert(machine.ifmap_bytes_per_cycle);
    filter_bytes.insert(machine.filter_bytes_per_cycle);
    most_filters.insert(machine.max_pass_filters);
  }
  const std::set<uint32_t> all = {1, 2, 4, 8, 16, 32};
  EXPECT_EQ(buses, (std::set<uint32_t>{4, 8, 16, 32}));
  EXPECT_EQ(lanes, all);
  EXPECT_EQ(ifmap_bytes, all);
  EXPECT_EQ(filter_bytes, all);
  EXPECT_EQ(*most_filters.rbegin(), 256u);
}

}  // namespace
}  // namespace fovea
