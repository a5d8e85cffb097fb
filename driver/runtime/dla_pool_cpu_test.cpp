// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pooling on the host, against values worked out by hand from ONNX MaxPool's definition, and average-pooling,
/// against a loop over the padded plane.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Maxpool : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {1,  2,  3,  4,  5,   //
                            6,  7,  8,  9,  10,  //
                            11, 12, 13, 14, 15,  //
                            16, 17, 18, 19, 20,  //
                            21, 22, 23, 24, 25});
  }
  std::vector<uint8_t> run(size_t outputs) {
    EXPECT_EQ(dla_maxpool_cpu(&rt, &args), kDlaOk);
    return get(arena(64), outputs);
  }
  struct dla_maxpool_cpu args {
    .name = "pool", .ifmap = 0, .ofmap = 64, .C = 1, .H = 5, .W = 5, .ceil_mode = false, .window = {
      {2, 2},
      {2, 2},
      {1, 1},
      {0, 0, 0, 0}
    }
  };
};

TEST_F(Maxpool, DropsWhatTheLastWindowDoesNotCover) { EXPECT_THAT(run(4), ElementsAre(7, 9, 17, 19)); }

TEST_F(Maxpool, CoversItInCeilMode) {
  args.ceil_mode = true;
  EXPECT_THAT(run(9), ElementsAre(7, 9, 10, 17, 19, 20, 22, 24, 25));
  EXPECT_THAT(shown.at(0).shape, ElementsAre(1, 3, 3));
}

TEST_F(Maxpool, CountsNoCeilModeWindowThatStartsInThePaddingAfter) {
  args.ceil_mode = true;
  args.H = args.W = 4;
  args.window = {{1, 1}, {3, 3}, {1, 1}, {0, 0, 1, 1}};
  EXPECT_EQ(dla_maxpool_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(shown.at(0).shape, ElementsAre(1, 2, 2));
}

TEST_F(Maxpool, NeverTakesPadding) {
  args.window = {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}};
  EXPECT_THAT(run(9), ElementsAre(7, 9, 10, 17, 19, 20, 22, 24, 25));
}

TEST_F(Maxpool, SpreadsItsWindowByDilation) {
  args.window = {{2, 2}, {1, 1}, {3, 3}, {0, 0, 0, 0}};
  EXPECT_THAT(run(4), ElementsAre(19, 20, 24, 25));
}

TEST_F(Maxpool, PoolsEveryChannel) {
  args.C = 2;
  args.H = 2;
  args.W = 4;
  EXPECT_THAT(run(4), ElementsAre(6, 8, 14, 16));  // [1..8] and [9..16] as two channels.
}

TEST_F(Maxpool, RefusesBadArguments) {
  const auto refuses = [&](auto change) {
    struct dla_maxpool_cpu bad = args;
    change(bad);
    return dla_maxpool_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& a) { a.C = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.window.strides[0] = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.window.kernel[1] = 6; })) << "larger than the input";
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = kArenaBytes - 3; }));
  EXPECT_TRUE(refuses([](auto& a) { a.C = UINT32_MAX; }));
  EXPECT_TRUE(shown.empty());
}

class Avgpool : public HostRuntime {
 protected:
  uint32_t draw(uint32_t least, uint32_t most) { return least + static_cast<uint32_t>(random_() % (most - least + 1)); }
  float draw_scale() { return static_cast<float>(draw(1, 1 << 20)) / (1 << 18); }

  /// What the window at (e, f) of channel c averages to.
  uint8_t expected(uint32_t c, uint32_t e, uint32_t f) const {
    const auto& w = args.window;
    float sum = 0;
    int inside = 0;
    for (uint32_t r = 0; r < w.kernel[0]; ++r) {
      for (uint32_t s = 0; s < w.kernel[1]; ++s) {
        const uint32_t y = e * w.strides[0] + r * w.dilations[0], x = f * w.strides[1] + s * w.dilations[1];
        if (y >= w.pads[0] && y < w.pads[0] + args.H && x >= w.pads[1] && x < w.pads[1] + args.W) {
          const uint8_t value = ifmap_[(c * args.H + y - w.pads[0]) * args.W + x - w.pads[1]];
          const volatile float real = args.ifmap_scale * static_cast<float>(value - args.ifmap_zero_point);
          sum += real;
          ++inside;
        }
      }
    }
    const auto count = static_cast<float>(args.count_include_pad ? int(w.kernel[0] * w.kernel[1]) : inside);
    const float steps = sum / count / args.ofmap_scale + static_cast<float>(args.ofmap_zero_point);
    const float rounded = args.rounding == kDlaFloor ? std::floor(steps) : std::nearbyint(steps);
    return inside == 0 && !args.count_include_pad ? 0 : static_cast<uint8_t>(std::clamp(rounded, 0.0F, 255.0F));
  }

  struct dla_avgpool_cpu args {
    .name = "mean", .ifmap = 0, .ofmap = 2048, .C = 2, .H = 5, .W = 5, .ceil_mode = false, .count_include_pad = false,
    .window = {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}, .ifmap_scale = 1, .ofmap_scale = 1, .ifmap_zero_point = 0,
    .ofmap_zero_point = 0, .rounding = kDlaNearestEven
  };
  std::vector<uint8_t> ifmap_;

 private:
  std::mt19937 random_{7};
};

TEST_F(Avgpool, IsTheFormulaUnderEveryWindow) {
  for (int round = 0; round < 500; ++round) {
    auto& w = args.window;
    args.H = draw(5, 9);
    args.W = draw(5, 9);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      w.kernel[axis] = draw(1, 3);
      w.strides[axis] = draw(1, 3);
      w.dilations[axis] = draw(1, 4) == 1 ? 2 : 1;
      w.pads[axis] = draw(0, w.kernel[axis] - 1);
      w.pads[axis + 2] = draw(0, w.kernel[axis] - 1);
    }
    args.ceil_mode = draw(0, 1) == 1;
    args.count_include_pad = draw(0, 1) == 1;
    args.ifmap_scale = draw_scale();
    args.ofmap_scale = draw_scale();
    args.ifmap_zero_point = static_cast<uint8_t>(draw(0, 255));
    args.ofmap_zero_point = static_cast<uint8_t>(draw(0, 255));
    args.rounding = draw(0, 3) == 0 ? kDlaFloor : kDlaNearestEven;
    ifmap_.resize(args.C * args.H * args.W);
    std::generate(ifmap_.begin(), ifmap_.end(), [&] { return static_cast<uint8_t>(draw(0, 255)); });
    put(arena(0), ifmap_);
    shown.clear();
    ASSERT_EQ(dla_avgpool_cpu(&rt, &args), kDlaOk);
    const std::vector<uint32_t> shape = shown.at(0).shape;
    ASSERT_EQ(shape.size(), 3u);
    for (uint32_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i) {
      const uint32_t f = i % shape[2], e = i / shape[2] % shape[1], c = i / (shape[1] * shape[2]);
      ASSERT_EQ(shown[0].bytes[i], expected(c, e, f)) << "round " << round << ": " << c << ", " << e << ", " << f;
    }
  }
}

TEST_F(Avgpool, RoundsWithTheZeroPointInside) {
  put<uint8_t>(arena(0), {1, 2, 1, 2});
  args.C = 1;
  args.H = args.W = 2;
  args.ofmap_zero_point = 1;
  ASSERT_EQ(dla_avgpool_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(*arena(2048), 2) << "1.5 + 1 to even; outside, 1.5 would be 2 and the sum 3";
}

TEST_F(Avgpool, RefusesBadArguments) {
  const auto refuses = [&](auto change) {
    struct dla_avgpool_cpu bad = args;
    change(bad);
    return dla_avgpool_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& a) { a.W = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.window.dilations[0] = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.window.kernel[0] = 6; })) << "larger than the input";
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = kArenaBytes - 7; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ifmap_scale = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap_scale = -1; }));
  EXPECT_EQ(dla_avgpool_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
}

}  // namespace
