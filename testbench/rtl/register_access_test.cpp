// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do registers come up as the map says, and is every wrong access answered with an error and changes nothing?
#include <gtest/gtest.h>

#include "bench/direct_convolution.h"
#include "bench/small_layer.h"

namespace fovea {
namespace {

constexpr uint32_t kLastLayerReg = DLA_LAYER_REG + 4 * (DLA_LAYER_WORDS - 1);

class RegisterAccess : public testing::TestWithParam<Scenario> {
 protected:
  dla_status_t write(uint32_t offset, uint32_t value) { return bench.hal().write32(bench.hal().ctx, offset, value); }

  /// The access was refused: reported as `cause`, and cleared again.
  void expect_refused(dla_status_t status, dla_error cause) {
    EXPECT_EQ(status, kDlaBusError);
    EXPECT_EQ(bench.read(DLA_ERROR_REG), uint32_t{cause} | DLA_ERROR_VALID_MASK << DLA_ERROR_VALID_LSB);
    EXPECT_NE(bench.read(DLA_STATUS_REG) & DLA_STATUS_ERROR_MASK << DLA_STATUS_ERROR_LSB, 0u);
    EXPECT_EQ(dla_clear_error(&bench.hal()), kDlaOk);
    EXPECT_EQ(bench.read(DLA_ERROR_REG), 0u);
    EXPECT_EQ(bench.read(DLA_STATUS_REG) & DLA_STATUS_ERROR_MASK << DLA_STATUS_ERROR_LSB, 0u);
  }

  DeviceBench bench{GetParam()};
};

TEST_P(RegisterAccess, ProbeReadsTheMachine) {
  dla_machine found{};
  ASSERT_EQ(dla_probe(&bench.hal(), &found), kDlaOk);
  const dla_machine& expected = bench.machine();
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.cols, expected.cols);
  EXPECT_EQ(found.ifmap_spad_bytes, expected.ifmap_spad_bytes);
  EXPECT_EQ(found.filter_spad_bytes, expected.filter_spad_bytes);
  EXPECT_EQ(found.max_pe_filters, expected.max_pe_filters);
  EXPECT_EQ(found.glb_bytes, expected.glb_bytes);
  EXPECT_EQ(found.glb_bank_bytes, expected.glb_bank_bytes);
  EXPECT_EQ(found.bus_bytes, expected.bus_bytes);
  EXPECT_EQ(found.psum_lanes, expected.psum_lanes);
  EXPECT_EQ(found.ifmap_bytes_per_cycle, expected.ifmap_bytes_per_cycle);
  EXPECT_EQ(found.filter_bytes_per_cycle, expected.filter_bytes_per_cycle);
  EXPECT_EQ(found.max_pass_filters, expected.max_pass_filters);
}

TEST_P(RegisterAccess, LayerRegistersKeepWhatIsWritten) {
  for (uint32_t offset = DLA_LAYER_REG; offset <= kLastLayerReg; offset += 4) {
    ASSERT_EQ(write(offset, 0xa5000000u + offset), kDlaOk);
  }
  for (uint32_t offset = DLA_LAYER_REG; offset <= kLastLayerReg; offset += 4) {
    EXPECT_EQ(bench.read(offset), 0xa5000000u + offset);
  }
}

TEST_P(RegisterAccess, TheWatchdogKeepsItsCycles) {
  for (const uint32_t cycles : {0x01234567u, 0xfedcba98u, 0x01234567u, 0xfedcba98u}) {
    ASSERT_EQ(dla_set_watchdog(&bench.hal(), cycles), kDlaOk);
    EXPECT_EQ(bench.read(DLA_WATCHDOG_REG), cycles);
  }
  ASSERT_EQ(dla_reset(&bench.hal(), 10), kDlaOk);
  EXPECT_EQ(bench.read(DLA_WATCHDOG_REG), 0xfedcba98u);
}

TEST_P(RegisterAccess, OutsideTheMapIsRefused) {
  for (const uint32_t offset : {kLastLayerReg + 4, 0x0fcu, 0x144u, 0xffcu}) {
    SCOPED_TRACE(offset);
    uint32_t value = 0;
    expect_refused(bench.hal().read32(bench.hal().ctx, offset, &value), kDlaErrorBadAccess);
    expect_refused(write(offset, 1), kDlaErrorBadAccess);
  }
}

TEST_P(RegisterAccess, ReadOnlyRegistersAreNotWritten) {
  for (const uint32_t offset : {DLA_ID_REG, DLA_VERSION_REG, DLA_GEOMETRY_ARRAY_REG, DLA_GEOMETRY_SPADS_REG,
                                DLA_GEOMETRY_GLB_REG, DLA_GEOMETRY_NETWORKS_REG, DLA_STATUS_REG, DLA_ERROR_ADDR_REG,
                                DLA_LIST_LAYER_REG, DLA_COUNT_CYCLES_REG, DLA_COUNT_PASSES_REG}) {
    SCOPED_TRACE(offset);
    const uint32_t before = bench.read(offset);
    expect_refused(write(offset, ~before), kDlaErrorBadAccess);
    EXPECT_EQ(bench.read(offset), before);
  }
}

TEST_P(RegisterAccess, PartOfAWordIsRefused) {
  ASSERT_EQ(write(DLA_IFMAP_ADDR_REG, 0x12345678u), kDlaOk);
  for (uint32_t strobes = 0; strobes < 15; ++strobes) {
    SCOPED_TRACE(strobes);
    expect_refused(bench.backend().write_strobed(DLA_IFMAP_ADDR_REG, 0, strobes), kDlaErrorBadAccess);
  }
  expect_refused(write(DLA_IFMAP_ADDR_REG + 2, 0), kDlaErrorBadAccess);
  EXPECT_EQ(bench.read(DLA_IFMAP_ADDR_REG), 0x12345678u);
}

TEST_P(RegisterAccess, WhileALayerRunsItsRegistersAndStartAreRefused) {
  LayerCase test = small_layer(bench.machine());
  bench.place(test);
  ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
  ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
  for (uint32_t offset = DLA_LAYER_REG; offset <= kLastLayerReg; offset += 4) {
    ASSERT_NE(bench.read(DLA_STATUS_REG) & DLA_STATUS_BUSY_MASK << DLA_STATUS_BUSY_LSB, 0u);
    expect_refused(write(offset, 0), kDlaErrorBusy);
  }
  expect_refused(write(DLA_WATCHDOG_REG, 1), kDlaErrorBusy);
  expect_refused(write(DLA_CTRL_REG, DLA_CTRL_START_MASK << DLA_CTRL_START_LSB), kDlaErrorBusy);
  ASSERT_EQ(dla_wait(&bench.hal(), 1'000'000), kDlaOk);
  std::vector<uint8_t> ofmap(ofmap_bytes(test.layer.shape));
  ASSERT_EQ(
      bench.hal().mem_read(bench.hal().ctx, test.layer.ofmap_addr, ofmap.data(), static_cast<uint32_t>(ofmap.size())),
      kDlaOk);
  EXPECT_EQ(ofmap, convolve_directly(test));
  EXPECT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
  expect_usable(bench);
}

TEST_P(RegisterAccess, TheInterruptFollowsItsEnable) {
  ASSERT_EQ(dla_enable_irq(&bench.hal(), false, true), kDlaOk);
  LayerCase test = small_layer(bench.machine());
  bench.place(test);
  ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
  ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
  EXPECT_EQ(dla_wait(&bench.hal(), 200'000), kDlaTimeout);
  EXPECT_EQ(bench.read(DLA_STATUS_REG), DLA_STATUS_DONE_MASK << DLA_STATUS_DONE_LSB);
  ASSERT_EQ(dla_enable_irq(&bench.hal(), true, true), kDlaOk);
  EXPECT_EQ(dla_wait(&bench.hal(), 1), kDlaOk);
  ASSERT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
  EXPECT_EQ(dla_wait(&bench.hal(), 1000), kDlaTimeout);
  expect_usable(bench);
}

/// A device that nothing has been written to: a bench would have enabled the interrupts.
class PowerUp : public testing::TestWithParam<Scenario> {
 protected:
  static BackendOptions options() { return bench_options(GetParam().machine); }

  uint32_t read(uint32_t offset) {
    uint32_t value = ~0u;
    EXPECT_EQ(device->hal().read32(device->hal().ctx, offset, &value), kDlaOk);
    return value;
  }

  std::unique_ptr<Backend> device = open_backend(GetParam().backend, options());
};

TEST_P(PowerUp, EveryRegisterHoldsItsResetValue) {
  EXPECT_EQ(read(DLA_STATUS_REG), DLA_STATUS_RESET);
  EXPECT_EQ(read(DLA_ERROR_REG), DLA_ERROR_RESET);
  EXPECT_EQ(read(DLA_ERROR_ADDR_REG), DLA_ERROR_ADDR_RESET);
  EXPECT_EQ(read(DLA_IRQ_ENABLE_REG), DLA_IRQ_ENABLE_RESET);
  EXPECT_EQ(read(DLA_IRQ_STATUS_REG), DLA_IRQ_STATUS_RESET);
  EXPECT_EQ(read(DLA_WATCHDOG_REG), DLA_WATCHDOG_RESET);
  for (uint32_t offset = DLA_LAYER_REG; offset <= kLastLayerReg; offset += 4) {
    EXPECT_EQ(read(offset), DLA_IFMAP_ADDR_RESET) << offset;
  }
  for (uint32_t offset = DLA_COUNT_CYCLES_REG; offset <= DLA_COUNT_PASSES_REG; offset += 4) {
    EXPECT_EQ(read(offset), DLA_COUNT_CYCLES_RESET) << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PowerUp, testing::ValuesIn(all_scenarios()),
                         [](const auto& device) { return name_of(device.param); });

INSTANTIATE_TEST_SUITE_P(Devices, RegisterAccess, testing::ValuesIn(all_scenarios()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace fovea
