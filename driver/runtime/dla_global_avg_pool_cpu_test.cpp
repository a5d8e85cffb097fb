// SPDX-License-Identifier: Apache-2.0
/// \file
/// Means of channels on the host, against the formula by the math library.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class GlobalAvgPool : public HostRuntime {
 protected:
  struct dla_global_avg_pool_cpu args {
    .name = "gap", .ifmap = 0, .ofmap = 2048, .C = 3, .H = 7, .W = 5, .ifmap_scale = 0.3F, .ofmap_scale = 0.17F,
    .ifmap_zero_point = 100, .ofmap_zero_point = 7, .rounding = kDlaNearestEven
  };
};

TEST_F(GlobalAvgPool, IsTheFormula) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    args.ifmap_scale = std::ldexp(std::uniform_real_distribution<float>(1, 2)(random), round % 7 - 3);
    args.ofmap_scale = std::ldexp(std::uniform_real_distribution<float>(1, 2)(random), round % 5 - 4);
    args.ifmap_zero_point = static_cast<uint8_t>(random());
    args.ofmap_zero_point = static_cast<uint8_t>(random());
    args.rounding = round % 4 == 3 ? kDlaFloor : kDlaNearestEven;
    std::vector<uint8_t> ifmap(args.C * args.H * args.W), expected;
    for (uint8_t& x : ifmap) {
      x = static_cast<uint8_t>(random());
    }
    const auto plane = args.H * args.W;
    for (uint32_t c = 0; c < args.C; ++c) {
      int sum = 0;
      for (uint32_t i = 0; i < plane; ++i) {
        sum += ifmap[c * plane + i] - args.ifmap_zero_point;
      }
      const float divisor = args.ofmap_scale * static_cast<float>(plane);
      const float mean = static_cast<float>(sum) * (args.ifmap_scale / divisor);
      const float rounded = args.rounding == kDlaFloor ? std::floor(mean) : std::nearbyint(mean);
      expected.push_back(static_cast<uint8_t>(std::min(255.0F, std::max(0.0F, rounded + args.ofmap_zero_point))));
    }
    put<uint8_t>(arena(0), ifmap);
    ASSERT_EQ(dla_global_avg_pool_cpu(&rt, &args), kDlaOk);
    EXPECT_EQ(get(arena(2048), 3), expected) << "round " << round;
  }
  EXPECT_THAT(shown.at(0).shape, ElementsAre(3, 1, 1));
}

TEST_F(GlobalAvgPool, RefusesWhatMakesNoSense) {
  args.H = 0;
  EXPECT_EQ(dla_global_avg_pool_cpu(&rt, &args), kDlaBadArg);
  args.H = 1 << 20;
  args.W = 9;
  EXPECT_EQ(dla_global_avg_pool_cpu(&rt, &args), kDlaBadArg) << "more than an int32 surely holds";
  args.H = args.W = 2;
  args.ofmap_scale = 0;
  EXPECT_EQ(dla_global_avg_pool_cpu(&rt, &args), kDlaBadArg);
  EXPECT_EQ(dla_global_avg_pool_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
}

}  // namespace
