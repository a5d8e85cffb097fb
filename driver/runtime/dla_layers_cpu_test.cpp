// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fully connected and convolution calls on the host: operands found by offset, results shown, bad arguments refused.
#include <gmock/gmock.h>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Qlinear : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(16), {130, 126, 128});
    put<int8_t>(weights(1), {1, 2, 3, -4, 5, 6});
    put<int32_t>(weights(8), {100, -1});
  }
  // acc[0] = 100 + 2*1 - 2*2 = 98; acc[1] = -1 - 2*4 - 2*5 = -19.
  struct dla_qlinear_cpu args {
    .name = "fc", .ifmap = 16, .ofmap = 32, .filter = 1, .bias = 8, .C = 3, .M = 2, .quant = {
      .shift = 2,
      .rounding = kDlaNearestEven,
      .lowest = 0,
      .ifmap_zero_point = 128,
      .ofmap_zero_point = 10
    }
  };
};

TEST_F(Qlinear, MultipliesAddsAndRequantizes) {
  ASSERT_EQ(dla_qlinear_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 2), ElementsAre(10 + 24, 10 - 5));  // 98/4 = 24.5 and -19/4 = -4.75.
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].name, "fc");
  EXPECT_EQ(shown[0].type, "uint8");
  EXPECT_THAT(shown[0].shape, ElementsAre(2));
}

TEST_F(Qlinear, TakesPicturesOneBehindAnother) {
  put<uint8_t>(arena(19), {128, 128, 128});
  args.N = 2;
  ASSERT_EQ(dla_qlinear_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 4), ElementsAre(10 + 24, 10 - 5, 10 + 25, 10));  // The second's: its biases.
  EXPECT_THAT(shown.at(0).shape, ElementsAre(2, 2));
  args.ofmap = kArenaBytes - 3;
  EXPECT_EQ(dla_qlinear_cpu(&rt, &args), kDlaBadArg);
}

TEST_F(Qlinear, HasReluAsItsLowest) {
  args.quant.lowest = 10;
  ASSERT_EQ(dla_qlinear_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 2), ElementsAre(10 + 24, 10));
}

TEST_F(Qlinear, RoundsDownWhereFloorIsAsked) {
  args.quant.rounding = kDlaFloor;
  ASSERT_EQ(dla_qlinear_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 2), ElementsAre(10 + 24, 10 - 5));
}

TEST_F(Qlinear, RefusesBadArgumentsAndWritesNothing) {
  const auto refuses = [&](auto change) {
    struct dla_qlinear_cpu bad = args;
    change(bad);
    return dla_qlinear_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& a) { a.C = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.M = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.quant.shift = 32; }));
  EXPECT_TRUE(refuses([](auto& a) { a.bias = 6; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ifmap = kArenaBytes - 2; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = kArenaBytes - 1; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = UINT32_MAX; }));
  EXPECT_TRUE(refuses([](auto& a) { a.filter = kWeightsBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& a) { a.bias = kWeightsBytes - 4; }));
  EXPECT_TRUE(refuses([](auto& a) { a.M = UINT32_MAX; }));
  EXPECT_EQ(dla_qlinear_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_qlinear_cpu(nullptr, &args), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
  EXPECT_THAT(get(arena(32), 2), ElementsAre(0, 0));
}

class Qconv2d : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {10, 12, 14, 16, 9, 8, 7, 6, 20, 0, 0, 0});
    put<int8_t>(weights(0), {1, -1});
    put<int32_t>(weights(4), {3, 0});
  }
  struct dla_qconv2d_cpu args {
    .name = "conv", .ifmap = 0, .ofmap = 64, .filter = 0, .bias = 4, .C = 1, .H = 3, .W = 4, .M = 2, .groups = 1,
    .window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, .quant = {
      .shift = 0,
      .rounding = kDlaFloor,
      .lowest = 0,
      .ifmap_zero_point = 10,
      .ofmap_zero_point = 100
    }
  };
};

TEST_F(Qconv2d, PlainHasNeitherReluNorPooling) {
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(64), 24), ElementsAre(103, 105, 107, 109, 102, 101, 100, 99, 113, 93, 93, 93,  //
                                              100, 98, 96, 94, 101, 102, 103, 104, 90, 110, 110, 110));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_THAT(shown[0].shape, ElementsAre(2, 3, 4));
}

TEST_F(Qconv2d, TakesPicturesOneBehindAnother) {
  args.H = 1;
  args.N = 3;
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(64), 24), ElementsAre(103, 105, 107, 109, 100, 98, 96, 94,    //
                                              102, 101, 100, 99, 101, 102, 103, 104,  //
                                              113, 93, 93, 93, 90, 110, 110, 110));
  EXPECT_THAT(shown.at(0).shape, ElementsAre(3, 2, 1, 4));
}

TEST_F(Qconv2d, ReluIsItsLowest) {
  args.quant.lowest = 100;
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(64), 12), ElementsAre(103, 105, 107, 109, 102, 101, 100, 100, 113, 100, 100, 100));
}

TEST_F(Qconv2d, MaxpoolDropsAnOddRow) {
  args.pool = true;
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(64), 4), ElementsAre(105, 109, 102, 104));
  EXPECT_THAT(shown.back().shape, ElementsAre(2, 1, 2));
}

TEST_F(Qconv2d, RefusesWhatLeavesItsMemory) {
  for (auto* field : {&args.ifmap, &args.ofmap, &args.filter, &args.bias}) {
    const uint32_t good = *field;
    *field =
        field == &args.ifmap || field == &args.ofmap ? kArenaBytes - 8 : kWeightsBytes - (field == &args.bias ? 4 : 1);
    EXPECT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaBadArg);
    *field = good;
  }
  args.H = UINT32_MAX;
  EXPECT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
}

}  // namespace
