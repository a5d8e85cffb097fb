// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL count alike when a layer is looked at, dropped, or meets a bus error on its way?
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 5);
const uint32_t kResetStep = kCases < 100 ? 23 : 1;  ///< A reset in every 23rd cycle; make check_full has one in each.

constexpr uint32_t kMemoryEnd = DeviceBench::kMemoryBase + DeviceBench::kMemoryBytes;

class InterruptedLayers : public testing::TestWithParam<LockstepScenario> {
 protected:
  std::array<DeviceBench*, 2> devices() { return {&bench.rtl, &bench.systemc}; }

  void begin(LayerCase& test) {
    for (DeviceBench* device : devices()) {
      device->place(test);
      ASSERT_EQ(dla_write_layer(&device->hal(), &device->machine(), &test.layer), kDlaOk);
      ASSERT_EQ(dla_start(&device->hal()), kDlaOk);
    }
  }

  /// Every counter register, one after another, while time goes on.
  void expect_equal_counters() {
    std::array<dla_counters, 2> counters{};
    for (int i = 0; i < 2; ++i) {
#define FOVEA_COUNTER(NAME, name, offset) counters[i].name = devices()[i]->read(offset);
      DLA_FOR_EACH_COUNTER(FOVEA_COUNTER)
#undef FOVEA_COUNTER
    }
    EXPECT_EQ(std::memcmp(&counters[0], &counters[1], sizeof counters[0]), 0)
        << format_counters(counters[0], counters[1]);
  }

  void expect_equal_memory(const LayerCase& test) {
    std::array<std::vector<uint8_t>, 2> ofmaps;
    for (int i = 0; i < 2; ++i) {
      ofmaps[i].resize(ofmap_bytes(test.layer.shape));
      const dla_hal_t& hal = devices()[i]->hal();
      ASSERT_EQ(hal.mem_read(hal.ctx, test.layer.ofmap_addr, ofmaps[i].data(), static_cast<uint32_t>(ofmaps[i].size())),
                kDlaOk);
    }
    EXPECT_TRUE(ofmaps[0] == ofmaps[1]) << "the ofmaps differ";
  }

  void expect_both_usable() {
    for (DeviceBench* device : devices()) {
      EXPECT_EQ(dla_ack_irq(&device->hal()), kDlaOk);
      expect_usable(*device);
    }
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
  }

  LockstepBench bench{GetParam().machine, GetParam().dram};
  RandomLayers random{bench.rtl.machine(), kSeed, Places::kAny};
};

TEST_P(InterruptedLayers, CountersAgreeInAnyCycle) {
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    LayerCase test = random.draw(LayerCoverage());
    SCOPED_TRACE("layer " + std::to_string(index) + ": " + describe(test.layer));
    const uint32_t length = bench.rtl.run(test).counters.cycles;
    bench.systemc.run(test);
    begin(test);
    for (int looks = 0; looks < 8 && !HasFailure(); ++looks) {
      const uint64_t cycles = random.between(1, length / 6 + 1);
      for (DeviceBench* device : devices()) {
        dla_wait(&device->hal(), cycles);
      }
      expect_equal_counters();
    }
    for (DeviceBench* device : devices()) {
      ASSERT_EQ(dla_reset(&device->hal(), 100'000), kDlaOk);
      ASSERT_EQ(dla_ack_irq(&device->hal()), kDlaOk);
    }
  }
}

TEST_P(InterruptedLayers, AResetInAnyCycleEndsThemAlike) {
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    LayerCase test = random.draw(LayerCoverage());
    SCOPED_TRACE("layer " + std::to_string(index) + ": " + describe(test.layer));
    const uint32_t length = bench.rtl.run(test).counters.cycles;
    bench.systemc.run(test);
    begin(test);
    const uint64_t cycles = random.one_in(3) ? random.between(1, 300) : random.between(1, length);
    for (DeviceBench* device : devices()) {
      dla_wait(&device->hal(), cycles);
      ASSERT_EQ(dla_reset(&device->hal(), 100'000), kDlaOk);
    }
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
    expect_equal_counters();
    expect_both_usable();
  }
}

TEST_P(InterruptedLayers, BusErrorsEndThemAlike) {
  constexpr uint32_t dla_layer::*kTensors[] = {&dla_layer::ifmap_addr, &dla_layer::filter_addr, &dla_layer::ofmap_addr};
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    LayerCase test = random.draw(LayerCoverage());
    for (DeviceBench* device : devices()) {
      device->place(test);
    }
    // The tensor's end, or all of it, is outside memory.
    dla_layer layer = test.layer;
    const uint32_t outside = random.one_in(4) ? 0x10000u : kMemoryEnd - 8 * random.between(0, 80);
    layer.*kTensors[random.between(0, 2)] = outside;
    SCOPED_TRACE("layer " + std::to_string(index) + ": " + describe(layer));
    const LayerOutcome rtl = bench.rtl.start(layer), systemc = bench.systemc.start(layer);
    expect_equal(rtl, systemc);
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
    expect_both_usable();
  }
}

/// What is progress, words on chip among it, keeps both watchdogs from ending a layer, or neither.
TEST_P(InterruptedLayers, AWatchdogEndsThemAlike) {
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    LayerCase test = random.draw(LayerCoverage());
    const uint32_t watchdog = random.between(20, 150);
    SCOPED_TRACE("layer " + std::to_string(index) + ", watchdog " + std::to_string(watchdog) + ": " +
                 describe(test.layer));
    std::array<LayerOutcome, 2> outcomes;
    for (int i = 0; i < 2; ++i) {
      const dla_hal_t& hal = devices()[i]->hal();
      devices()[i]->place(test);
      ASSERT_EQ(dla_set_watchdog(&hal, watchdog), kDlaOk);
      outcomes[i] = devices()[i]->start(test.layer);
      ASSERT_EQ(dla_reset(&hal, 100'000), kDlaOk);
      ASSERT_EQ(dla_set_watchdog(&hal, 0), kDlaOk);
    }
    expect_equal(outcomes[0], outcomes[1]);
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
    expect_both_usable();
  }
}

/// The small layer brings every controller into every state; with a tensor outside memory, into those of a bus error.
struct SmallLayer {
  const char* name;
  uint32_t dla_layer::*outside = nullptr;
};

class ManyResets : public testing::TestWithParam<SmallLayer> {};

TEST_P(ManyResets, OfTheSmallLayerLeavesBothUsable) {
  LockstepBench bench("eyeriss_6x8", "pipelined");
  LayerCase test = small_layer(bench.rtl.machine());
  uint32_t length = 1;
  for (uint32_t cycle = 1; cycle <= length && !HasFailure(); cycle += kResetStep) {
    SCOPED_TRACE("reset in cycle " + std::to_string(cycle));
    for (DeviceBench* device : {&bench.rtl, &bench.systemc}) {
      device->place(test);
      dla_layer layer = test.layer;
      if (GetParam().outside != nullptr) {
        layer.*GetParam().outside = 0x10000u;
      }
      if (cycle == 1) {
        length = device->start(layer).counters.cycles;
      }
      ASSERT_EQ(dla_write_layer(&device->hal(), &device->machine(), &layer), kDlaOk);
      ASSERT_EQ(dla_start(&device->hal()), kDlaOk);
      dla_wait(&device->hal(), cycle);
      ASSERT_EQ(dla_reset(&device->hal(), 1000), kDlaOk);
      ASSERT_EQ(dla_ack_irq(&device->hal()), kDlaOk);
      EXPECT_EQ(device->read(DLA_STATUS_REG), 0u);
      EXPECT_EQ(device->read(DLA_ERROR_REG), 0u);
      expect_usable(*device);
    }
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, ManyResets,
                         testing::Values(SmallLayer{"Right"}, SmallLayer{"IfmapOutside", &dla_layer::ifmap_addr},
                                         SmallLayer{"FilterOutside", &dla_layer::filter_addr},
                                         SmallLayer{"OfmapOutside", &dla_layer::ofmap_addr}),
                         [](const auto& layer) { return std::string(layer.param.name); });

INSTANTIATE_TEST_SUITE_P(Scenarios, InterruptedLayers, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
