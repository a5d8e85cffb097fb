// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do chains of layers with the tensors between them on chip give the answer of direct loop nests, in lists of commands
/// that run layer by layer, and depth first in strips of rows; and do model and RTL agree on them, cycle by cycle, also
/// where a reset ends them? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/number_from_environment.h"
#include "chain_bench.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 4);  ///< Chains a scenario and way to run them.

/// Draws chains until there is a plan for one. \param in_strips  Of a third of the last tensor's rows at most.
struct DrawnChain {
  DrawnChain(RandomLayers& random, const dla_machine& machine, bool in_strips) {
    std::optional<ChainPlan> found;
    while (!found) {
      chain = draw_chain(random);
      const uint32_t rows = chain.tensors.back().rows;
      found = plan_chain(machine, random, chain, in_strips ? random.between(1, std::max(rows / 3, 1u)) : rows);
    }
    plan = *found;
  }

  Chain chain;
  ChainPlan plan;
};

/// Runs the chain's list. \return what came of it, with the last tensor for an ofmap. \param placed  Where it was put.
ListOutcome run(DeviceBench& bench, const DrawnChain& drawn, PlacedChain& placed) {
  placed = place(bench, drawn.chain, drawn.plan);
  const uint64_t cycles = run_to_end(bench, placed.list);
  ListOutcome outcome = take_records(bench, placed.list);
  outcome.cycles = cycles;
  outcome.ofmaps = {take_made(bench, drawn.chain, drawn.plan, placed)};
  return outcome;
}

/// The bytes of the records are those that a walk over the loops counts: none of tensors on chip.
void expect_traffic_of(const dla_machine& machine, const List& list, const ListOutcome& outcome) {
  for (size_t i = 0; i < list.layers.size(); ++i) {
    SCOPED_TRACE("command " + std::to_string(i) + ": " + describe(list.layers[i].layer));
    const ExpectedTraffic expected = expect_traffic(machine, list.layers[i].layer);
    const dla_counters& record = outcome.records.at(i);
    EXPECT_EQ(record.ifmap_read_bytes, expected.ifmap_read_bytes);
    EXPECT_EQ(record.filter_read_bytes, expected.filter_read_bytes);
    EXPECT_EQ(record.residual_read_bytes, expected.residual_read_bytes);
    EXPECT_EQ(record.write_bytes, expected.write_bytes);
    EXPECT_EQ(record.passes, expected.passes);
  }
}

/// The first lines of two traces that differ; empty: none.
std::string difference(const std::filesystem::path& rtl, const std::filesystem::path& systemc) {
  std::ifstream one(rtl), other(systemc);
  std::string line, other_line;
  for (;;) {
    const bool is_there = static_cast<bool>(std::getline(one, line));
    const bool is_other_there = static_cast<bool>(std::getline(other, other_line));
    if (!is_there && !is_other_there) {
      return "";
    }
    if (is_there != is_other_there || line != other_line) {
      return "rtl:     " + (is_there ? line : "(end)") + "\nsystemc: " + (is_other_there ? other_line : "(end)");
    }
  }
}

class Chains : public testing::TestWithParam<LockstepScenario> {
 protected:
  Chains() { std::filesystem::create_directories(folder); }
  ~Chains() override { std::filesystem::remove_all(folder); }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("chains_" + std::to_string(getpid()));
};

TEST_P(Chains, GiveTheAnswerOfTheirLayers) {
  uint64_t layers = 0, commands = 0, staying = 0, cycles = 0;
  {
    LockstepBench bench(GetParam().machine, GetParam().dram, folder);
    RandomLayers random(bench.rtl.machine(), kSeed);
    for (uint64_t index = 0; index < 2 * kCases; ++index) {
      SCOPED_TRACE("SEED=" + std::to_string(kSeed) + ", chain " + std::to_string(index));
      const DrawnChain drawn(random, bench.rtl.machine(), index % 2 == 1);
      PlacedChain placed;
      const ListOutcome rtl = run(bench.rtl, drawn, placed);
      ASSERT_EQ(rtl.error, kDlaErrorNone) << dla_error_text(rtl.error) << ", command " << rtl.last_layer << ": "
                                          << describe(placed.list.layers.at(rtl.last_layer).layer);
      expect_equal(rtl, run(bench.systemc, drawn, placed));
      EXPECT_TRUE(rtl.ofmaps[0] == convolve_directly(drawn.chain.layers.back().test)) << "the last tensor is wrong";
      expect_traffic_of(bench.rtl.machine(), placed.list, rtl);
      if (HasFailure()) {
        return;
      }
      layers += drawn.chain.layers.size();
      commands += placed.list.layers.size();
      staying += drawn.plan.staying;
      cycles += rtl.cycles;
    }
    bench.rtl.backend().finish();
    bench.systemc.backend().finish();
  }
  EXPECT_EQ(difference(folder / "rtl.txt", folder / "systemc.txt"), "");
  std::printf("%s, %s DRAM, SEED=%llu: %llu layers in %llu commands, %llu of them with filters on chip, %llu cycles\n",
              GetParam().machine.c_str(), GetParam().dram.c_str(), static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(layers), static_cast<unsigned long long>(commands),
              static_cast<unsigned long long>(staying), static_cast<unsigned long long>(cycles));
}

/// What lies on chip of a chain's tensors, whose planes were filled before.
std::vector<std::vector<uint8_t>> take_from_chip(DeviceBench& bench, const DrawnChain& drawn) {
  std::vector<std::vector<uint8_t>> tensors;
  for (uint32_t tensor = 1; tensor < drawn.chain.layers.size(); ++tensor) {
    tensors.push_back(
        bench.copy_from_chip(planes_of(bench.machine(), drawn.chain, drawn.plan, tensor), drawn.plan.kept));
  }
  return tensors;
}

void fill_chip(DeviceBench& bench, const DrawnChain& drawn) {
  bench.hal().mem_reset(bench.hal().ctx);
  for (uint32_t tensor = 1; tensor < drawn.chain.layers.size(); ++tensor) {
    const dla_planes planes = planes_of(bench.machine(), drawn.chain, drawn.plan, tensor);
    bench.copy_to_chip(planes, std::vector<uint8_t>(size_t{planes.channels} * planes.stride, 0x3a), drawn.plan.kept);
  }
}

TEST_P(Chains, AResetInAnyCycleEndsThemAlike) {
  LockstepBench bench(GetParam().machine, GetParam().dram);
  const std::array<DeviceBench*, 2> devices = {&bench.rtl, &bench.systemc};
  RandomLayers random(bench.rtl.machine(), kSeed + 1);
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    SCOPED_TRACE("SEED=" + std::to_string(kSeed) + ", chain " + std::to_string(index));
    const DrawnChain drawn(random, bench.rtl.machine(), true);
    PlacedChain placed;
    const uint64_t length = run(bench.systemc, drawn, placed).cycles;
    run(bench.rtl, drawn, placed);
    const uint64_t cycles = random.between(1, static_cast<uint32_t>(length));
    std::array<ListOutcome, 2> outcomes;
    std::array<std::vector<std::vector<uint8_t>>, 2> on_chip;
    for (int i = 0; i < 2; ++i) {
      fill_chip(*devices[i], drawn);
      placed = place(*devices[i], drawn.chain, drawn.plan);
      const dla_hal_t& hal = devices[i]->hal();
      ASSERT_EQ(dla_start_list(&hal, placed.list.entries.at(0), placed.list.limit), kDlaOk);
      dla_wait(&hal, cycles);
      ASSERT_EQ(dla_reset(&hal, 100'000), kDlaOk);
      outcomes[i] = take_records(*devices[i], placed.list);
      outcomes[i].cycles = devices[i]->backend().cycles();
      on_chip[i] = take_from_chip(*devices[i], drawn);
    }
    expect_equal(outcomes[0], outcomes[1]);
    EXPECT_TRUE(on_chip[0] == on_chip[1]) << "what lies on chip differs";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Chains, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

INSTANTIATE_TEST_SUITE_P(TestMachines, Chains,
                         testing::Values(LockstepScenario{"test_6x8_bus4", "pipelined"},
                                         LockstepScenario{"test_5x7_bus16", "pipelined"},
                                         LockstepScenario{"test_6x4_bus16", "random"},
                                         LockstepScenario{"test_2x16_bus32", "random"}),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
