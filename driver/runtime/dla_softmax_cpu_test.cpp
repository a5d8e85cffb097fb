// SPDX-License-Identifier: Apache-2.0
/// \file
/// Softmax on the host, against its formula in long double along any axis; and what makes no sense.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Softmax : public HostRuntime {
 protected:
  static constexpr uint32_t kTableAt = 1024;

  void SetUp() override {
    HostRuntime::SetUp();
    std::vector<float> table(256);
    for (int i = 0; i < 256; ++i) {
      table[static_cast<size_t>(i)] = std::exp(static_cast<float>(i - 255) * kScale) * 1e30F;
    }
    put(weights(kTableAt), table);
  }

  static constexpr float kScale = 0.03F;
  struct dla_softmax_cpu args {
    .name = "softmax", .ifmap = 0, .ofmap = 2048, .rank = 3, .shape = {6, 5, 7}, .size = 7, .step = 1,
    .exponentials = kTableAt, .steps = 256, .ofmap_zero_point = 0
  };
};

TEST_F(Softmax, IsTheFormulaAlongAnyAxis) {
  std::mt19937 random(1);
  const std::pair<uint32_t, uint32_t> axes[] = {{7, 1}, {5, 7}, {6, 35}, {210, 1}, {1, 1}};
  size_t near_ties = 0;
  for (int round = 0; round < 50; ++round) {
    std::tie(args.size, args.step) = axes[round % 5];
    args.ofmap_zero_point = static_cast<uint8_t>(round % 3 * 60);
    std::vector<uint8_t> x(210);
    std::generate(x.begin(), x.end(), [&] { return static_cast<uint8_t>(random()); });
    put(arena(0), x);
    ASSERT_EQ(dla_softmax_cpu(&rt, &args), kDlaOk);
    for (uint32_t i = 0; i < 210; ++i) {
      const uint32_t first = i - i / args.step % args.size * args.step;
      long double sum = 0;
      for (uint32_t k = 0; k < args.size; ++k) {
        sum += std::exp(static_cast<long double>(kScale) * (x[first + k * args.step] - x[i]));
      }
      const long double steps = args.steps / sum;
      const auto y = std::min(255.0L, std::nearbyint(steps) + args.ofmap_zero_point);
      const bool is_near_tie = std::abs(steps - std::floor(steps) - 0.5L) < 1e-3L;
      near_ties += is_near_tie ? 1 : 0;
      EXPECT_LE(std::abs(arena(2048)[i] - y), is_near_tie ? 1 : 0) << "round " << round << " element " << i;
    }
  }
  EXPECT_LT(near_ties, 100U);
  EXPECT_THAT(shown.at(0).shape, ElementsAre(6, 5, 7));
}

TEST_F(Softmax, WorksInPlace) {
  put<uint8_t>(arena(0), {10, 10, 10, 10});
  args.rank = 1;
  args.shape[0] = args.size = 4;
  args.ofmap = 0;
  ASSERT_EQ(dla_softmax_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(0), 4), ElementsAre(64, 64, 64, 64));
}

TEST_F(Softmax, RefusesWhatMakesNoSense) {
  EXPECT_EQ(dla_softmax_cpu(&rt, nullptr), kDlaBadArg);
  const auto refuses = [&](auto change) {
    struct dla_softmax_cpu bad = args;
    change(bad);
    EXPECT_EQ(dla_softmax_cpu(&rt, &bad), kDlaBadArg);
  };
  refuses([](auto& bad) { bad.size = 0; });
  refuses([](auto& bad) { bad.size = 4; });
  refuses([](auto& bad) { bad.step = 0; });
  refuses([](auto& bad) { bad.step = 1U << 31; });
  refuses([](auto& bad) { bad.rank = 5; });
  refuses([](auto& bad) { bad.exponentials = kTableAt + 2; });
  refuses([](auto& bad) { bad.exponentials = kWeightsBytes - 1020; });
  refuses([](auto& bad) { bad.ofmap = kArenaBytes - 209; });
  for (const float steps : {-1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    refuses([&](auto& bad) { bad.steps = steps; });
  }
  EXPECT_TRUE(shown.empty());
}

}  // namespace
