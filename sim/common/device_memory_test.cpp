// SPDX-License-Identifier: Apache-2.0
/// \file
/// Device memory ends where it says, and hands out no byte twice.
#include "device_memory.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

constexpr uint32_t kBase = DeviceMemory::kBase;

TEST(DeviceMemory, IsZeroAndWritableUpToItsLastByte) {
  const DeviceMemory memory(4096);
  ASSERT_NE(memory.view(kBase + 4095, 1), nullptr);
  EXPECT_EQ(*memory.view(kBase + 4095, 1), 0);
  *memory.view(kBase + 4095, 1) = 7;
  EXPECT_EQ(memory.view(kBase, 4096)[4095], 7);
}

TEST(DeviceMemory, HasNothingOutside) {
  const DeviceMemory memory(4096);
  EXPECT_EQ(memory.view(0, 1), nullptr);
  EXPECT_EQ(memory.view(kBase - 1, 1), nullptr);
  EXPECT_EQ(memory.view(kBase - 1, 2), nullptr);
  EXPECT_EQ(memory.view(kBase + 4096, 1), nullptr);
  EXPECT_EQ(memory.view(kBase + 4095, 2), nullptr);
  EXPECT_EQ(memory.view(kBase + 1, 0xffffffffu), nullptr);
}

TEST(DeviceMemory, AllocatesAlignedAndApart) {
  DeviceMemory memory(4096);
  EXPECT_EQ(memory.allocate(3, 1), kBase);
  EXPECT_EQ(memory.allocate(8, 64), kBase + 64);
  EXPECT_EQ(memory.allocate(1, 1), kBase + 72);
}

TEST(DeviceMemory, RefusesWhatDoesNotFitAndGoesOn) {
  DeviceMemory memory(4096);
  EXPECT_EQ(memory.allocate(4097, 1), std::nullopt);
  EXPECT_EQ(memory.allocate(4096, 1), kBase);
  EXPECT_EQ(memory.allocate(1, 1), std::nullopt);
  EXPECT_EQ(memory.allocate(0xffffffffu, 1), std::nullopt);
  memory.reset();
  EXPECT_EQ(memory.allocate(1, 1), kBase);
}

}  // namespace
}  // namespace fovea
