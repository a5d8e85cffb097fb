// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sum of two tensors on the host: against the formula in doubles, in place, and with arguments that make no sense.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Add : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {100, 101, 103, 99, 255, 0});
    put<uint8_t>(arena(16), {100, 102, 100, 98, 255, 0});
  }
  std::vector<uint8_t> run(uint32_t at = 32) {
    args.ofmap = at;
    EXPECT_EQ(dla_qadd_cpu(&rt, &args), kDlaOk);
    return get(arena(at), 6);
  }
  struct dla_qadd_cpu args {
    .name = "sum", .a = 0, .b = 16, .ofmap = 32, .rank = 2, .shape = {2, 3}, .a_scale = 0.5F, .b_scale = 0.5F,
    .ofmap_scale = 1, .a_zero_point = 100, .b_zero_point = 100, .ofmap_zero_point = 5, .rounding = kDlaNearestEven
  };
};

TEST_F(Add, RoundsTheSumWithItsZeroPoint) {
  EXPECT_THAT(run(), ElementsAre(5, 6, 6, 4, 160, 0)) << "5, 6.5, 6.5, 3.5, 160, -95";
  args.rounding = kDlaFloor;
  EXPECT_THAT(run(), ElementsAre(5, 6, 6, 3, 160, 0));
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].name, "sum");
  EXPECT_EQ(shown[0].type, "uint8");
  EXPECT_THAT(shown[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(shown[0].bytes, ElementsAre(5, 6, 6, 4, 160, 0));
}

TEST_F(Add, ReluKeepsTheZeroPoint) {
  ASSERT_EQ(dla_qadd_relu_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 6), ElementsAre(5, 6, 6, 5, 160, 5));
}

TEST_F(Add, WritesOverAnOperand) {
  const std::vector<uint8_t> apart = run();
  EXPECT_EQ(run(0), apart);
  SetUp();
  EXPECT_EQ(run(16), apart);
}

TEST_F(Add, DoublesATensor) {
  args.b = 0;
  EXPECT_THAT(run(), ElementsAre(5, 6, 8, 4, 160, 0));
}

TEST_F(Add, EqualsTheFormulaOnALongTensor) {
  constexpr uint32_t kCount = 1000;
  std::mt19937 random(3);
  std::vector<uint8_t> a(kCount), b(kCount);
  std::generate(a.begin(), a.end(), random);
  std::generate(b.begin(), b.end(), random);
  put(arena(0), a);
  put(arena(1024), b);
  args.b = 1024;
  args.ofmap = 2048;
  args.rank = 1;
  args.shape[0] = kCount;
  args.a_scale = 0.0371F;
  args.b_scale = 0.0123F;
  args.ofmap_scale = 0.0411F;
  args.a_zero_point = 17;
  args.b_zero_point = 201;
  args.ofmap_zero_point = 93;
  ASSERT_EQ(dla_qadd_cpu(&rt, &args), kDlaOk);
  const float ra = 0.0371F / 0.0411F, rb = 0.0123F / 0.0411F, fx = 93 - std::fma(ra, 17.0F, rb * 201.0F);
  for (uint32_t i = 0; i < kCount; ++i) {
    const float sum = std::fma(float(a[i]), ra, std::fma(float(b[i]), rb, fx));
    ASSERT_EQ(*arena(2048 + i), std::clamp(std::nearbyint(sum), 0.0F, 255.0F)) << i;
  }
}

TEST_F(Add, RefusesBadArguments) {
  const auto good = args;
  const auto refuses = [&](auto change) {
    struct dla_qadd_cpu bad = good;
    change(bad);
    return dla_qadd_cpu(&rt, &bad) == kDlaBadArg && dla_qadd_relu_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& x) { x.rank = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.rank = 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.shape[1] = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.a = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.b = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.a_scale = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.b_scale = -1; }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap_scale = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap_scale = 1e-37F; })) << "a sum could overflow";
  EXPECT_EQ(dla_qadd_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_qadd_cpu(nullptr, &good), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
  EXPECT_THAT(get(arena(32), 6), ElementsAre(0, 0, 0, 0, 0, 0));
}

}  // namespace
