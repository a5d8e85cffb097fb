// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joining tensors on the host: along the first axis, along a later one, through tables, and of floats.
#include <gmock/gmock.h>

#include <algorithm>

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
    EXPECT_EQ(dla_concat_cpu(&rt, &args), kDlaOk);
    return get(arena(32), 10);
  }
  dla_concat_input inputs[2] = {{.x = 0, .run_bytes = 4}, {.x = 16, .run_bytes = 6}};
  struct dla_concat_cpu args {
    .name = "join", .y_host = nullptr, .y = 32, .type = "uint8", .element_bytes = 1, .rank = 2, .shape = {5, 2},
    .runs = 1, .inputs = nullptr, .count = 2
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

TEST_F(Concat, PutsElementsThroughATable) {
  std::vector<uint8_t> table(256);
  std::generate(table.begin(), table.end(), [byte = 255]() mutable { return static_cast<uint8_t>(byte--); });
  put(weights(32), table);
  inputs[1].has_table = true;
  inputs[1].table = 32;
  EXPECT_THAT(run(), ElementsAre(1, 2, 3, 4, 245, 235, 225, 215, 205, 195));
}

TEST_F(Concat, JoinsFloatsInHostMemoryRunByRun) {
  const std::vector<float> a{1, 2, 3, 4}, b{5, 6};
  std::vector<float> y(6);
  inputs[0] = {.x_host = a.data(), .x = 0, .run_bytes = 8};
  inputs[1] = {.x_host = b.data(), .x = 0, .run_bytes = 4};
  args.y_host = y.data();
  args.type = "float32";
  args.element_bytes = 4;
  args.shape[0] = 2;
  args.shape[1] = 3;
  args.runs = 2;
  ASSERT_EQ(dla_concat_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(y, ElementsAre(1, 2, 5, 3, 4, 6));
  EXPECT_EQ(shown.at(0).type, "float32");
  args.count = 1;
  EXPECT_EQ(dla_concat_cpu(&rt, &args), kDlaBadArg) << "4 of 6";
}

TEST_F(Concat, LeavesWhatIsInItsPlace) {
  put<uint8_t>(arena(32), {7, 8, 9, 6});
  inputs[0] = {.x = 32, .run_bytes = 4, .in_place = true};
  EXPECT_THAT(run(), ElementsAre(7, 8, 9, 6, 10, 20, 30, 40, 50, 60));
}

TEST_F(Concat, TakesATensorTwice) {
  inputs[1].x = 0;
  inputs[1].run_bytes = 4;
  args.shape[0] = 4;
  EXPECT_EQ(dla_concat_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(32), 9), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 0));
}

TEST_F(Concat, RefusesBadArguments) {
  const auto refuses = [&](auto change) {
    struct dla_concat_cpu bad = args;
    dla_concat_input tensors[2] = {inputs[0], inputs[1]};
    bad.inputs = tensors;
    change(bad, tensors);
    return dla_concat_cpu(&rt, &bad) == kDlaBadArg;
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
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.y = kArenaBytes - 9; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.type = nullptr; }));
  EXPECT_TRUE(refuses([](auto& x, auto*) { x.element_bytes = 2; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[0].has_table = true, t[0].table = kWeightsBytes - 255; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[1].x = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto&, auto* t) { t[0].run_bytes = 0, t[1].run_bytes = 10; }));
  EXPECT_EQ(dla_concat_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_concat_cpu(nullptr, &args), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
  EXPECT_EQ(get(arena(32), 10), std::vector<uint8_t>(10, 77));
}

}  // namespace
