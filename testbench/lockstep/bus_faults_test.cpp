// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL end a layer alike, with cause and address, where the bus says error or falls silent, and run the
/// next? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

using Kind = DramFault::Kind;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 30);
const uint32_t kBeatStep = kCases < 100 ? 5 : 1;  ///< An error on every fifth beat; make check_full has one on each.

/// More than the longest stretch of the small layer in which nothing goes on.
constexpr uint32_t kPatience = 300;

/// Both devices with one fault on their buses.
struct FaultyBench {
  FaultyBench(const LockstepScenario& scenario, const DramFault& fault)
      : bench(scenario.machine, scenario.dram, {}, fault) {}

  std::array<DeviceBench*, 2> devices() { return {&bench.rtl, &bench.systemc}; }

  void set_watchdog(uint32_t cycles) {
    for (DeviceBench* device : devices()) {
      ASSERT_EQ(dla_set_watchdog(&device->hal(), cycles), kDlaOk);
    }
  }

  /// Runs a layer on both and expects them to agree. \return the RTL's outcome.
  LayerOutcome run(LayerCase& test) {
    std::array<LayerOutcome, 2> outcomes;
    for (int i = 0; i < 2; ++i) {
      devices()[i]->place(test);
      outcomes[i] = devices()[i]->start(test.layer);
    }
    expect_equal(outcomes[0], outcomes[1]);
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
    EXPECT_EQ(read(DLA_ERROR_ADDR_REG), error_addr());
    return outcomes[0];
  }

  /// A register that both hold alike.
  uint32_t read(uint32_t offset) {
    const uint32_t value = bench.rtl.read(offset);
    EXPECT_EQ(value, bench.systemc.read(offset)) << "register " << offset;
    return value;
  }

  uint32_t error_addr() {
    uint32_t addr = 0;
    EXPECT_EQ(dla_read_error_addr(&bench.rtl.hal(), &addr), kDlaOk);
    uint32_t other = 0;
    EXPECT_EQ(dla_read_error_addr(&bench.systemc.hal(), &other), kDlaOk);
    return addr;
  }

  bool is_draining() { return (read(DLA_STATUS_REG) >> DLA_STATUS_DRAINING_LSB & 1) != 0; }

  /// START is refused, by driver and device.
  void expect_no_start() {
    for (DeviceBench* device : devices()) {
      const dla_hal_t& hal = device->hal();
      EXPECT_EQ(dla_start(&hal), kDlaBusy);
      dla_clear_error(&hal);
      EXPECT_EQ(hal.write32(hal.ctx, DLA_CTRL_REG, 1), kDlaBusError);
      dla_error cause = kDlaErrorNone;
      EXPECT_EQ(dla_read_error(&hal, &cause), kDlaOk);
      EXPECT_EQ(cause, kDlaErrorBusy);
    }
  }

  void wait(uint64_t cycles) {
    for (DeviceBench* device : devices()) {
      EXPECT_EQ(dla_wait(&device->hal(), cycles), kDlaTimeout);
    }
  }

  void expect_both_usable() {
    for (DeviceBench* device : devices()) {
      expect_usable(*device);
    }
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
  }

  LockstepBench bench;
};

class BusFaults : public testing::TestWithParam<LockstepScenario> {
 protected:
  LayerCase small() const { return small_layer(shipped_machine(GetParam().machine).geometry); }
  uint32_t bus_bytes() const { return shipped_machine(GetParam().machine).geometry.bus_bytes; }

  /// The small layer without a fault.
  LayerOutcome undisturbed() {
    LayerCase test = small();
    return FaultyBench(GetParam(), {}).run(test);
  }
};

TEST_P(BusFaults, AnErrorOnAnyBeatOfAnyReadEndsTheLayer) {
  const LayerOutcome whole = undisturbed();
  uint64_t beats = 0;
  for (uint64_t burst = 0; burst < whole.counters.read_bursts && !HasFailure(); ++burst) {
    for (uint32_t beat = burst % kBeatStep;; beat += kBeatStep) {
      SCOPED_TRACE("burst " + std::to_string(burst) + ", beat " + std::to_string(beat));
      FaultyBench faulty(GetParam(), {Kind::kError, false, burst, beat, 0});
      LayerCase test = small();
      const LayerOutcome outcome = faulty.run(test);
      if (outcome.error == kDlaErrorNone) {
        ASSERT_GT(beat, 0u);
        break;  // The burst has no such beat.
      }
      ++beats;
      ASSERT_EQ(outcome.error, kDlaErrorBusRead);
      const uint32_t addr = faulty.error_addr();
      if (burst == 0) {
        EXPECT_EQ(addr, test.layer.ifmap_addr + beat * bus_bytes());
      }
      EXPECT_GE(addr, test.layer.ifmap_addr);
      EXPECT_LT(addr, test.layer.ofmap_addr);
      faulty.expect_both_usable();
    }
  }
  const uint32_t all = (whole.counters.ifmap_read_bytes + whole.counters.filter_read_bytes) / bus_bytes();
  EXPECT_NEAR(beats * kBeatStep, all, (kBeatStep - 1) * whole.counters.read_bursts);
}

TEST_P(BusFaults, AnErrorOnAnyWriteEndsTheLayer) {
  // The small layer's runs, a burst each: groups of 4 filters, strips of 4 rows, 8 bytes a row, 64 bytes a filter.
  constexpr std::array<uint32_t, 16> kRuns = {0,   64,  128, 192, 32,  96,  160, 224,
                                              256, 320, 384, 448, 288, 352, 416, 480};
  const uint32_t bursts = undisturbed().counters.write_bursts;
  ASSERT_EQ(bursts, kRuns.size());
  for (uint64_t burst = 0; burst < bursts && !HasFailure(); ++burst) {
    SCOPED_TRACE("burst " + std::to_string(burst));
    FaultyBench faulty(GetParam(), {Kind::kError, true, burst, 0, 0});
    LayerCase test = small();
    EXPECT_EQ(faulty.run(test).error, kDlaErrorBusWrite);
    EXPECT_EQ(faulty.error_addr(), test.layer.ofmap_addr + kRuns.at(burst));
    faulty.expect_both_usable();
  }
}

TEST_P(BusFaults, TheAddressGoesWithTheNextStartOrReset) {
  FaultyBench faulty(GetParam(), {Kind::kError, false, 0, 1, 0});
  LayerCase test = small();
  EXPECT_EQ(faulty.run(test).error, kDlaErrorBusRead);
  EXPECT_NE(faulty.error_addr(), 0u);
  for (DeviceBench* device : faulty.devices()) {
    ASSERT_EQ(dla_reset(&device->hal(), 10), kDlaOk);
  }
  EXPECT_EQ(faulty.error_addr(), 0u);
}

TEST_P(BusFaults, ALateMemoryIsWaitedForUpToTheWatchdog) {
  const LayerOutcome whole = undisturbed();
  const auto expect_ends = [&](const DramFault& fault) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(fault.kind)) + ", write " + std::to_string(fault.is_write) +
                 ", burst " + std::to_string(fault.burst));
    FaultyBench faulty(GetParam(), fault);
    faulty.set_watchdog(kPatience);
    LayerCase test = small();
    const LayerOutcome outcome = faulty.run(test);
    EXPECT_EQ(outcome.error, kDlaErrorWatchdog);
    EXPECT_GT(outcome.counters.cycles, kPatience);
    EXPECT_EQ(faulty.error_addr(), 0u);
    EXPECT_TRUE(faulty.is_draining());
    faulty.expect_no_start();
    // The late ones come, and with them those behind; both say so in the same cycle.
    for (int polls = 0; polls < 2000 && faulty.is_draining(); ++polls) {
    }
    EXPECT_FALSE(faulty.is_draining());
    faulty.expect_both_usable();
  };
  constexpr uint64_t kLate = 10 * kPatience;
  for (uint64_t burst = 0; burst < whole.counters.read_bursts && !HasFailure(); ++burst) {
    expect_ends({Kind::kLateData, false, burst, 0, kLate});
  }
  for (uint64_t burst = 0; burst < whole.counters.write_bursts && !HasFailure(); ++burst) {
    expect_ends({Kind::kLateData, true, burst, 0, kLate});
    expect_ends({Kind::kLateResponse, true, burst, 0, kLate});
  }
}

TEST_P(BusFaults, AMemoryThatNeverAnswersEndsTheLayerAndNoOtherBegins) {
  for (const DramFault& fault : {DramFault{Kind::kLateData, false, 0, 0, DramFault::kForever},
                                 DramFault{Kind::kLateData, true, 0, 0, DramFault::kForever},
                                 DramFault{Kind::kLateResponse, true, 1, 0, DramFault::kForever}}) {
    FaultyBench faulty(GetParam(), fault);
    faulty.set_watchdog(kPatience);
    LayerCase test = small();
    EXPECT_EQ(faulty.run(test).error, kDlaErrorWatchdog);
    faulty.wait(20'000);
    EXPECT_TRUE(faulty.is_draining());
    faulty.expect_no_start();
    for (DeviceBench* device : faulty.devices()) {
      EXPECT_EQ(dla_reset(&device->hal(), 10), kDlaTimeout);
    }
    faulty.expect_no_start();
  }
}

TEST_P(BusFaults, WithoutAWatchdogALateMemoryIsWaitedFor) {
  FaultyBench faulty(GetParam(), {Kind::kLateData, false, 1, 0, 50'000});
  LayerCase test = small();
  const LayerOutcome outcome = faulty.run(test);
  EXPECT_EQ(outcome.error, kDlaErrorNone);
  EXPECT_GT(outcome.counters.cycles, 50'000u);
}

/// An error whose burst is never followed by the rest: the watchdog ends what waits for it, with the error's cause.
TEST_P(BusFaults, ADrainThatTakesTooLongKeepsItsCause) {
  FaultyBench faulty(GetParam(), {Kind::kLateData, false, 2, 0, 5 * kPatience});
  faulty.set_watchdog(kPatience);
  LayerCase test = small();
  for (DeviceBench* device : faulty.devices()) {
    device->place(test);
    test.layer.ifmap_addr = 0x10000;  // Nowhere: the first beat says error.
    EXPECT_EQ(device->start(test.layer).error, kDlaErrorBusRead);
  }
  EXPECT_EQ(faulty.error_addr(), 0x10000u);
  EXPECT_TRUE(faulty.is_draining());
  EXPECT_EQ(faulty.bench.rtl.backend().cycles(), faulty.bench.systemc.backend().cycles());
}

/// Any patience, also one that ends layers which are well: each cycle counts.
TEST_P(BusFaults, AnyPatienceEndsThemAlike) {
  RandomLayers random(shipped_machine(GetParam().machine).geometry, kSeed);
  uint64_t ended = 0;
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    LayerCase test = random.draw(LayerCoverage());
    DramFault fault;
    if (random.one_in(2)) {
      fault.kind = random.one_in(3) ? Kind::kLateResponse : Kind::kLateData;
      fault.is_write = fault.kind == Kind::kLateResponse || random.one_in(2);
      fault.burst = random.between(0, 12);
      fault.cycles = random.between(1, 3000);
    }
    const uint32_t patience = random.one_in(2) ? random.between(1, 60) : random.between(1, 2000);
    SCOPED_TRACE("layer " + std::to_string(index) + ", watchdog " + std::to_string(patience) + ": " +
                 describe(test.layer));
    FaultyBench faulty(GetParam(), fault);
    faulty.set_watchdog(patience);
    ended += faulty.run(test).error == kDlaErrorWatchdog ? 1 : 0;
    for (int polls = 0; polls < 3000 && faulty.is_draining(); ++polls) {
    }
    faulty.set_watchdog(0);
    faulty.expect_both_usable();
  }
  EXPECT_TRUE(kCases < 20 || ended > 0) << "no layer was ended; the test shows nothing";
}

/// One machine with every memory, the others with the default.
std::vector<LockstepScenario> scenarios() {
  std::vector<LockstepScenario> chosen = lockstep_scenarios();
  const auto is_left_out = [](const LockstepScenario& scenario) {
    return scenario.machine != kMachines[0] && scenario.dram != "pipelined";
  };
  chosen.erase(std::remove_if(chosen.begin(), chosen.end(), is_left_out), chosen.end());
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, BusFaults, testing::ValuesIn(scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
