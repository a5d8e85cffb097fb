// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does the device end a layer that meets a bus error or a reset, and run the next one?
#include <gtest/gtest.h>

#include <random>

#include "bench/small_layer.h"

namespace fovea {
namespace {

constexpr uint32_t kNowhere = 0x00010000u;

class BusErrors : public testing::TestWithParam<Scenario> {
 protected:
  /// The small layer with a tensor moved elsewhere.
  LayerOutcome start_with(uint32_t dla_layer::*addr, uint32_t place) {
    LayerCase test = small_layer(bench.machine());
    bench.place(test);
    test.layer.*addr = place;
    return bench.start(test.layer);
  }

  DeviceBench bench{GetParam()};
};

TEST_P(BusErrors, AnIfmapOutsideMemoryIsAReadError) {
  EXPECT_EQ(start_with(&dla_layer::ifmap_addr, kNowhere).error, kDlaErrorBusRead);
  expect_usable(bench);
}

TEST_P(BusErrors, AnIfmapThatLeavesMemoryIsAReadError) {
  const uint32_t end = DeviceBench::kMemoryBase + DeviceBench::kMemoryBytes;
  EXPECT_EQ(start_with(&dla_layer::ifmap_addr, end - 300).error, kDlaErrorBusRead);
  expect_usable(bench);
}

TEST_P(BusErrors, FiltersOutsideMemoryAreAReadError) {
  EXPECT_EQ(start_with(&dla_layer::filter_addr, kNowhere).error, kDlaErrorBusRead);
  expect_usable(bench);
}

TEST_P(BusErrors, AnOfmapOutsideMemoryIsAWriteError) {
  EXPECT_EQ(start_with(&dla_layer::ofmap_addr, kNowhere).error, kDlaErrorBusWrite);
  expect_usable(bench);
}

/// Places with each address bit set in one of them; none is in memory.
TEST_P(BusErrors, AnAddressAnywhereOutsideMemoryIsAnError) {
  for (const uint32_t place : {0x15555540u, 0x2aaaaa80u, 0x55555540u, 0xeaaaaa80u}) {
    SCOPED_TRACE(place);
    EXPECT_EQ(start_with(&dla_layer::ifmap_addr, place + 3).error, kDlaErrorBusRead);
    EXPECT_EQ(start_with(&dla_layer::filter_addr, place).error, kDlaErrorBusRead);
    EXPECT_EQ(start_with(&dla_layer::ofmap_addr, place + 1).error, kDlaErrorBusWrite);
  }
  expect_usable(bench);
}

TEST_P(BusErrors, AResetInAnyCycleLeavesTheDeviceUsable) {
  LayerCase test = small_layer(bench.machine());
  const uint32_t length = bench.run(test).counters.cycles;
  std::mt19937 source(7);
  for (uint32_t step = 0; step < 60; ++step) {
    const uint32_t cycle = 1 + step * length / 60 + source() % 40;
    SCOPED_TRACE("reset in cycle " + std::to_string(cycle));
    bench.place(test);
    ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
    ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
    dla_wait(&bench.hal(), cycle);
    ASSERT_EQ(dla_reset(&bench.hal(), 1000), kDlaOk);
    EXPECT_EQ(bench.read(DLA_STATUS_REG), 0u);
    ASSERT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
    expect_usable(bench);
    if (HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BusErrors, testing::ValuesIn(all_scenarios()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace fovea
