// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL end a list alike that is reset in any cycle, or whose bus says error or falls silent anywhere, and
/// run the next one? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>

#include "bench/direct_convolution.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "list_bench.h"
#include "lockstep_bench.h"
#include "spec/dla_list.h"

namespace fovea {
namespace {

using Kind = DramFault::Kind;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 10);
const uint64_t kBurstStep = kCases < 100 ? 3 : 1;  ///< A fault on every third burst; make check_full has one on each.

/// More than the longest stretch of such a list in which nothing goes on.
constexpr uint32_t kPatience = 300;

/// \param on_chip  The last layer reads on chip what the second has written, and its filters lie beside those of that
/// one: it is loaded and queued while the second one runs.
List small_list(const dla_machine& machine, bool on_chip) {
  List list = {{3, small_layer(machine)}, {}, {}, 3};
  if (on_chip) {
    pass_on_chip(machine, list.layers[1], list.layers[2]);
    dla_layer& last = list.layers[2].layer;
    last.glb.filter.base_bytes -= last.glb.filter.size_bytes;
    EXPECT_EQ(dla_check_layer(&machine, &last), kDlaErrorNone);
  }
  return list;
}

/// Both devices with one fault on their buses, and a list in their memories.
struct ListBench {
  ListBench(const LockstepScenario& scenario, const DramFault& fault, bool on_chip)
      : bench(scenario.machine, scenario.dram, {}, fault), list(small_list(bench.rtl.machine(), on_chip)) {}

  std::array<DeviceBench*, 2> devices() { return {&bench.rtl, &bench.systemc}; }

  void set_watchdog(uint32_t cycles) {
    for (DeviceBench* device : devices()) {
      ASSERT_EQ(dla_set_watchdog(&device->hal(), cycles), kDlaOk);
    }
  }

  /// What came of the list, seen when bursts that were given up have come.
  ListOutcome run_both() {
    std::array<ListOutcome, 2> outcomes;
    for (int i = 0; i < 2; ++i) {
      place(*devices()[i], list);
      outcomes[i].cycles = run_to_end(*devices()[i], list);
    }
    expect_alike();
    wait_for_drain();
    for (int i = 0; i < 2; ++i) {
      const uint64_t cycles = outcomes[i].cycles;
      outcomes[i] = take_outcome(*devices()[i], list);
      outcomes[i].cycles = cycles;
    }
    expect_equal(outcomes[0], outcomes[1]);
    return outcomes[0];
  }

  /// Begins it, and resets both after so many cycles.
  void interrupt(uint64_t cycles) {
    for (DeviceBench* device : devices()) {
      place(*device, list);
      ASSERT_EQ(dla_start_list(&device->hal(), list.entries.at(0), list.limit), kDlaOk);
      dla_wait(&device->hal(), cycles);
      ASSERT_EQ(dla_reset(&device->hal(), 100'000), kDlaOk);
    }
    expect_alike();
    expect_equal(take_outcome(bench.rtl, list), take_outcome(bench.systemc, list));
  }

  void expect_alike() {
    EXPECT_EQ(bench.rtl.read(DLA_STATUS_REG), bench.systemc.read(DLA_STATUS_REG));
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
  }

  void wait_for_drain() {
    for (DeviceBench* device : devices()) {
      uint32_t status = 0;
      for (int polls = 0; polls < 3000; ++polls) {
        status = device->read(DLA_STATUS_REG);
        if ((status >> DLA_STATUS_DRAINING_LSB & 1) == 0) {
          break;
        }
      }
      EXPECT_EQ(status >> DLA_STATUS_DRAINING_LSB & 1, 0u);
    }
    expect_alike();
  }

  /// Another list runs, and a layer.
  void expect_both_usable() {
    set_watchdog(0);
    EXPECT_EQ(run_both().error, kDlaErrorNone);
    for (DeviceBench* device : devices()) {
      expect_usable(*device);
    }
  }

  LockstepBench bench;
  List list;
};

class InterruptedLists : public testing::TestWithParam<std::tuple<LockstepScenario, bool>> {
 protected:
  const LockstepScenario scenario = std::get<0>(GetParam());
  const bool on_chip = std::get<1>(GetParam());

  uint64_t inject(Kind kind, bool is_write, dla_error cause) const;
};

TEST_P(InterruptedLists, AResetInAnyCycleEndsThemAlike) {
  ListBench bench(scenario, {}, on_chip);
  RandomLayers random(bench.bench.rtl.machine(), kSeed);
  const ListOutcome whole = bench.run_both();
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    // Half of them about the end of a layer, where the next one begins and the record is written.
    uint64_t cycle = random.between(1, static_cast<uint32_t>(whole.cycles));
    if (index % 2 == 0) {
      cycle = whole.records[0].cycles + (random.one_in(2) ? whole.records[1].cycles : 0) + random.between(0, 80) - 20;
    }
    SCOPED_TRACE("reset in cycle " + std::to_string(cycle));
    bench.interrupt(cycle);
    bench.expect_both_usable();
  }
}

/// The number of the layer that reads at an address: its entry, its ifmap or its filters.
uint32_t reader_of(const ListBench& bench, uint32_t addr) {
  const dla_machine& machine = bench.bench.rtl.machine();
  const auto has = [&](uint32_t first, size_t bytes) {
    return addr >= first / machine.bus_bytes * machine.bus_bytes && addr < first + bytes;
  };
  for (uint32_t i = 0; i < bench.list.layers.size(); ++i) {
    const dla_layer& layer = bench.list.layers[i].layer;
    if (has(bench.list.entries[i], kDlaListEntryAlign) ||
        (!layer.shape.ifmap_on_chip && has(layer.ifmap_addr, bench.list.layers[i].ifmap.size())) ||
        has(layer.filter_addr, dla_filter_stream_bytes(&machine, &layer.shape, &layer.mapping))) {
      return i;
    }
  }
  ADD_FAILURE() << "nothing is read at " << addr;
  return 0;
}

/// A fault on bursts of a list's own and of its layers', other ones for each kind. \return how many ended the list.
uint64_t InterruptedLists::inject(Kind kind, bool is_write, dla_error cause) const {
  uint64_t ended = 0;
  for (uint64_t burst = static_cast<uint64_t>(kind) % kBurstStep;; burst += kBurstStep) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", write " + std::to_string(is_write) + ", burst " +
                 std::to_string(burst));
    ListBench faulty(scenario, {kind, is_write, burst, 0, 10 * kPatience}, on_chip);
    faulty.set_watchdog(kPatience);
    const ListOutcome outcome = faulty.run_both();
    if (outcome.error == kDlaErrorNone || testing::Test::HasFailure()) {
      return ended;  // The list has no such burst.
    }
    ++ended;
    EXPECT_EQ(outcome.error, cause);
    if (cause == kDlaErrorBusRead) {
      EXPECT_EQ(outcome.last_layer, reader_of(faulty, outcome.error_addr)) << "address " << outcome.error_addr;
    }
    // Layers before the one that it is about have run and are recorded, if it is no record that failed.
    for (uint32_t i = 0; i < outcome.last_layer; ++i) {
      const LayerCase& layer = faulty.list.layers[i];
      EXPECT_TRUE(layer.layer.shape.ofmap_on_chip || outcome.ofmaps[i] == convolve_directly(layer)) << "layer " << i;
      EXPECT_TRUE(outcome.numbers[i] == i || cause == kDlaErrorWatchdog) << "layer " << i;
    }
  }
}

TEST_P(InterruptedLists, AnErrorOnAnyReadNamesItsLayer) {
  EXPECT_GT(inject(Kind::kError, false, kDlaErrorBusRead), 3 * 2u / kBurstStep);
}

TEST_P(InterruptedLists, AnErrorOnAnyWriteNamesItsLayer) {
  EXPECT_GT(inject(Kind::kError, true, kDlaErrorBusWrite), 3 * 2u / kBurstStep);
}

TEST_P(InterruptedLists, ASilentMemoryIsWaitedForUpToTheWatchdog) {
  EXPECT_GT(inject(Kind::kLateData, false, kDlaErrorWatchdog), 3 * 2u / kBurstStep);
  EXPECT_GT(inject(Kind::kLateData, true, kDlaErrorWatchdog), 3 * 2u / kBurstStep);
  EXPECT_GT(inject(Kind::kLateResponse, true, kDlaErrorWatchdog), 3 * 2u / kBurstStep);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, InterruptedLists,
                         testing::Combine(testing::Values(LockstepScenario{"eyeriss_6x8", "pipelined"},
                                                          LockstepScenario{"eyeriss_6x8", "random"},
                                                          LockstepScenario{"eyeriss_12x14", "pipelined"},
                                                          LockstepScenario{"test_6x4_bus16", "pipelined"}),
                                          testing::Bool()),
                         [](const auto& row) {
                           return name_of(std::get<0>(row.param)) + (std::get<1>(row.param) ? "_on_chip" : "");
                         });

}  // namespace
}  // namespace fovea
