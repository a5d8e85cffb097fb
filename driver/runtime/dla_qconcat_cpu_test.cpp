// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joining tensors on the host: along the first axis, along a later one, and with inputs of other scales.
#include <gmock/gmock.h>

#include <limits>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Concat : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {1, 2, 3, 4});
    put<uint8_t>(arena(16), {10, 20, 30, 40, 50, 60});
    args.inputs = inputs;
  }
  std::vector<uint8_t> run() {
    EXPECT_EQ(dla_qconcat_cpu(&rt, &args), kDlaOk);
    return get(arena(32), 10);
  }
  dla_qconcat_input inputs[2] = {{.ifmap = 0, .run_bytes = 4, .scale = 0.5F, .zero_point = 2, .in_place = false},
                                 {.ifmap = 16, .run_bytes = 6, .scale = 0.5F, .zero_point = 2, .in_place = false}};
  struct dla_qconcat_cpu args {
    .name = "join", .ofmap = 32, .rank = 2, .shape = {5, 2}, .runs = 1, .inputs = nullptr, .count = 2,
    .ofmap_scale = 0.5F, .ofmap_zero_point = 2, .rounding = kDlaNearestEven
  };
};

TEST_F(Concat, CopiesWhatHasTheSameScale) {
  EXPECT_THAT(run(), ElementsAre(1, 2, 3, 4, 10, 20, 30, 40, 50, 60));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].name, "join");
  EXPECT_THAT(shown[0].shape, ElementsAre(5, 2));
}

TEST_F(Concat, PutsTheInputsSideBySideInEachRun) {
  args.shape[0] = 2;
  args.shape[1] = 5;
  args.runs = 2;
  inputs[0].run_bytes = 2;
  inputs[1].run_bytes = 3;
  EXPECT_THAT(run(), ElementsAre(1, 2, 10, 20, 30, 3, 4, 40, 50, 60));
}

/// (x - 2) * 0.5 / 0.75 + 100 of 1, 2, 3, 4: -0.67, 0, 0.67, 1.33.
TEST_F(Concat, ChangesAnotherScale) {
  args.ofmap_scale = inputs[1].scale = 0.75F;
  args.ofmap_zero_point = inputs[1].zero_point = 100;
  EXPECT_THAT(run(), ElementsAre(99, 100, 101, 101, 10, 20, 30, 40, 50, 60));
  args.rounding = kDlaFloor;
  EXPECT_THAT(run(), ElementsAre(99, 100, 100, 101, 10, 20, 30, 40, 50, 60));
}

TEST_F(Concat, ChangesAnotherZeroPointAndSaturates) {
  inputs[1].zero_point = 45;
  EXPECT_THAT(run(), ElementsAre(1, 2, 3, 4, 0, 0, 0, 0, 7, 17));
}

TEST_F(Concat, LeavesWhatIsInItsPlace) {
  put<uint8_t>(arena(32), {7, 8, 9, 6});
  inputs[0] = {.ifmap = 32, .run_bytes = 4, .scale = 0.5F, .zero_point = 2, .in_place = true};
  EXPECT_THAT(run(), ElementsAre(7, 8, 9, 6, 10, 20, 30, 40, 50, 60));
}

TEST_F(Concat, TakesATensorTwice) {
  inputs[1].ifmap = 0;
  inputs[1].run_bytes = 4;
  args.shape[0] = 4;
  EXPECT_EQ(dla_qconcat_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 9), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 0));
}

TEST_F(Concat, RefusesBadArguments) {
  const auto refuses = [&](auto change) {
    struct dla_qconcat_cpu bad = args;
    dla_qconcat_input tensors[2] = {inputs[0], inputs[1]};
    bad.inputs = tensors;
    change(bad, tensors);
    return dla_qconcat_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_FALSE(refuses([](auto&, auto*) {}));
  shown.clear();
  put<uint8_t>(arena(32), std::vector<uint8_t>(10, 77));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.inputs = nullptr; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.count = 0; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.count = 1; })) << "not the whole ofmap";
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.runs = 0; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.runs = 2; })) << "twice the ofmap";
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.rank = 0; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.shape[0] = 6; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.ofmap = kArenaBytes - 9; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.ofmap_scale = 0; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[1].scale = -1; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[0].scale = std::numeric_limits<float>::infinity(); }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[1].ifmap = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[0].run_bytes = 0, t[1].run_bytes = 10; }));
  EXPECT_EQ(dla_qconcat_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_qconcat_cpu(nullptr, &args), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
  EXPECT_EQ(get(arena(32), 10), std::vector<uint8_t>(10, 77));
}

}  // namespace
