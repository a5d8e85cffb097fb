// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pooling on the host, against values worked out by hand from ONNX MaxPool's definition.
#include <gmock/gmock.h>

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

}  // namespace
