// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opening the driver: on host memory, on a device, and on what is neither.
#include <gtest/gtest.h>

#include "dla_fake_device.h"
#include "dla_test_memory.h"

namespace {

using Open = HostRuntime;

TEST_F(Open, WithoutADeviceHasNoMachine) {
  EXPECT_EQ(rt.machine.rows, 0u);
  EXPECT_EQ(rt.last_error, kDlaErrorNone);
  EXPECT_STREQ(rt.last_layer, "");
}

TEST_F(Open, WithoutADeviceRefusesDeviceLayers) {
  const struct dla_device_layer args {};
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaNoDevice);
  EXPECT_EQ(dla_run_on_device(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_run_on_device(nullptr, &args), kDlaBadArg);
}

TEST_F(Open, NeedsMemoryFunctions) {
  dla_runtime other{};
  EXPECT_EQ(dla_runtime_open(&other, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_runtime_open(nullptr, &hal), kDlaBadArg);
  dla_hal_t no_view = hal;
  no_view.mem_view = nullptr;
  EXPECT_EQ(dla_runtime_open(&other, &no_view), kDlaBadArg);
}

TEST(OpenOnADevice, ReadsTheMachine) {
  FakeDevice device;
  dla_runtime rt{};
  ASSERT_EQ(dla_runtime_open(&rt, &device.hal), kDlaOk);
  EXPECT_EQ(rt.machine.rows, 6u);
  EXPECT_EQ(rt.machine.glb_bytes, 65536u);
}

TEST(OpenOnADevice, RefusesOneItDoesNotKnow) {
  FakeDevice device;
  device.registers[DLA_ID_REG] = 0;
  dla_runtime rt{};
  EXPECT_EQ(dla_runtime_open(&rt, &device.hal), kDlaNoDevice);
}

}  // namespace
