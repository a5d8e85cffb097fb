// SPDX-License-Identifier: Apache-2.0
/// \file
/// Host memory as device memory: bounds, alignment, and that nothing is done on a bad request.
#include "dla_host_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace {

class HostMemory : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(dla_host_memory_open(&memory, bytes.data(), bytes.size(), &hal), kDlaOk); }

  alignas(DLA_HOST_MEMORY_ALIGN) std::array<uint8_t, 256> bytes{};
  dla_host_memory memory{};
  dla_hal_t hal{};
};

TEST_F(HostMemory, HasNoDevice) {
  EXPECT_EQ(hal.read32, nullptr);
  EXPECT_EQ(hal.write32, nullptr);
  EXPECT_EQ(hal.wait_irq, nullptr);
}

TEST_F(HostMemory, RefusesMisalignedOrMissingMemory) {
  dla_hal_t other{};
  EXPECT_EQ(dla_host_memory_open(&memory, bytes.data() + 1, 16, &other), kDlaBadArg);
  EXPECT_EQ(dla_host_memory_open(&memory, nullptr, 16, &other), kDlaBadArg);
  EXPECT_EQ(dla_host_memory_open(&memory, bytes.data(), UINT32_MAX, &other), kDlaBadArg);
  EXPECT_EQ(other.mem_alloc, nullptr);
}

TEST_F(HostMemory, AllocatesAlignedUntilFull) {
  uint32_t a = 0, b = 0, c = 0;
  EXPECT_EQ(hal.mem_alloc(hal.ctx, 1, 1, &a), kDlaOk);
  EXPECT_EQ(hal.mem_alloc(hal.ctx, 192, 64, &b), kDlaOk);
  EXPECT_EQ(a, DLA_HOST_MEMORY_START);
  EXPECT_EQ(b, DLA_HOST_MEMORY_START + 64);
  EXPECT_EQ(hal.mem_alloc(hal.ctx, 1, 1, &c), kDlaNoMemory);
  EXPECT_EQ(c, 0u);
  EXPECT_EQ(hal.mem_reset(hal.ctx), kDlaOk);
  EXPECT_EQ(hal.mem_alloc(hal.ctx, 256, 64, &c), kDlaOk);
}

TEST_F(HostMemory, RefusesAlignmentsThatAreNoPowerOfTwo) {
  uint32_t addr = 0;
  for (uint32_t align : {0u, 3u, 128u}) {
    EXPECT_EQ(hal.mem_alloc(hal.ctx, 1, align, &addr), kDlaBadArg) << align;
  }
}

TEST_F(HostMemory, ReadsWhatWasWritten) {
  const char text[] = "fovea";
  char back[sizeof text] = {};
  EXPECT_EQ(hal.mem_write(hal.ctx, DLA_HOST_MEMORY_START + 250, text, 6), kDlaOk);
  EXPECT_EQ(hal.mem_read(hal.ctx, DLA_HOST_MEMORY_START + 250, back, 6), kDlaOk);
  EXPECT_STREQ(back, text);
  EXPECT_EQ(hal.mem_view(hal.ctx, DLA_HOST_MEMORY_START + 250, 6), bytes.data() + 250);
}

TEST_F(HostMemory, RefusesWhatLiesOutside) {
  char byte = 1;
  for (uint32_t addr : {0u, DLA_HOST_MEMORY_START - 1, DLA_HOST_MEMORY_START + 256, UINT32_MAX}) {
    EXPECT_EQ(hal.mem_write(hal.ctx, addr, &byte, 1), kDlaBadArg) << addr;
    EXPECT_EQ(hal.mem_read(hal.ctx, addr, &byte, 1), kDlaBadArg) << addr;
    EXPECT_EQ(hal.mem_view(hal.ctx, addr, 1), nullptr) << addr;
  }
  EXPECT_EQ(hal.mem_view(hal.ctx, DLA_HOST_MEMORY_START + 255, 2), nullptr);
  EXPECT_EQ(hal.mem_view(hal.ctx, DLA_HOST_MEMORY_START, UINT32_MAX), nullptr);
  EXPECT_EQ(byte, 1);
}

}  // namespace
