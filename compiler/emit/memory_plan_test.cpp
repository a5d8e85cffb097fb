// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arena plans: no two living buffers meet, and chains need no more than they must.
#include "memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace fovea {
namespace {

TEST(MemoryPlan, ChainNeedsItsLargestPair) {
  // Layer i reads buffer i - 1 and writes buffer i.
  const std::vector<Buffer> chain = {{3072, 0, 1}, {16384, 1, 2}, {12288, 2, 3}, {24576, 3, 4}, {16384, 4, 5}};
  const MemoryPlan plan = plan_memory(chain);
  EXPECT_EQ(plan.peak_bytes, 24576u + 16384u);
  EXPECT_EQ(plan.naive_bytes, 3072u + 16384 + 12288 + 24576 + 16384);
}

TEST(MemoryPlan, ResidualStaysAlive) {
  const MemoryPlan plan = plan_memory({{100, 0, 3}, {100, 1, 2}, {100, 2, 3}});
  EXPECT_EQ(plan.peak_bytes, 3u * 112) << "all three live at layer 2";
}

TEST(MemoryPlan, GapIsUsed) {
  const MemoryPlan plan = plan_memory({{64, 0, 9}, {64, 0, 1}, {64, 1, 9}, {32, 2, 9}, {32, 3, 9}});
  EXPECT_EQ(plan.peak_bytes, 3u * 64);
}

TEST(MemoryPlan, EmptyNetworkNeedsNothing) { EXPECT_EQ(plan_memory({}).peak_bytes, 0u); }

TEST(MemoryPlan, LivingBuffersNeverMeet) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Buffer> buffers(1 + random() % 30);
    for (Buffer& buffer : buffers) {
      buffer.bytes = random() % 5000;
      buffer.first = random() % 20;
      buffer.last = buffer.first + random() % 5;
    }
    const std::uint64_t alignment = 16u << round % 3;
    const MemoryPlan plan = plan_memory(buffers, alignment);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % alignment, 0u);
      EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.peak_bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
        const bool meet = plan.offsets[i] < plan.offsets[j] + buffers[j].bytes &&
                          plan.offsets[j] < plan.offsets[i] + buffers[i].bytes;
        ASSERT_FALSE(together && meet) << "round " << round;
      }
    }
    EXPECT_LE(plan.peak_bytes, plan.naive_bytes);
  }
}

}  // namespace
}  // namespace fovea
