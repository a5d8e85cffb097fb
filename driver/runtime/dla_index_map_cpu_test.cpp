// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps on the host: a slice, a pad and a transpose by hand, random maps against one read an element, and
/// arguments that make no sense. SEED=n draws other maps.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class IndexMap : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {1, 2, 3, 4, 5, 6});
  }
  /// Runs `loops` on the six bytes above.
  std::vector<uint8_t> run(const std::vector<dla_index_map_loop>& loops, std::vector<uint32_t> shape,
                           uint32_t start = 0) {
    args.loops = loops.data();
    args.count = static_cast<uint32_t>(loops.size());
    args.rank = static_cast<uint32_t>(shape.size());
    args.start = start;
    std::copy(shape.begin(), shape.end(), args.shape);
    EXPECT_EQ(dla_index_map_cpu(&rt, &args), kDlaOk);
    return get(arena(64), std::accumulate(shape.begin(), shape.end(), 1u, std::multiplies<>()));
  }
  static dla_index_map_loop steps(uint32_t size, uint32_t output_step, int32_t input_step) {
    return {size, output_step, input_step, 0, size, false, 0};
  }
  struct dla_index_map_cpu args {
    .name = "moved", .input_host = nullptr, .input = 0, .output_host = nullptr, .output = 64, .rank = 1, .shape = {6},
    .type = "uint8", .element_bytes = 1, .input_elements = 6, .start = 0, .fill = 9, .loops = nullptr, .count = 0
  };
};

TEST_F(IndexMap, SlicesBackwards) { EXPECT_THAT(run({steps(3, 1, -2)}, {3}, 5), ElementsAre(6, 4, 2)); }

TEST_F(IndexMap, Transposes) {
  EXPECT_THAT(run({steps(3, 2, 1), steps(2, 1, 3)}, {3, 2}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(run({steps(2, 1, 3), steps(3, 2, 1)}, {3, 2}), ElementsAre(1, 4, 2, 5, 3, 6)) << "the other loop inside";
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].name, "moved");
  EXPECT_EQ(shown[0].type, "uint8");
  EXPECT_THAT(shown[0].shape, ElementsAre(3, 2));
  EXPECT_THAT(shown[0].bytes, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_F(IndexMap, PadsRowsAndColumns) {
  const dla_index_map_loop rows{4, 4, 3, 1, 3, false, 0}, columns{4, 1, 1, 0, 3, false, 0};
  EXPECT_THAT(run({rows, columns}, {4, 4}), ElementsAre(9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9, 9, 9, 9, 9));
}

TEST_F(IndexMap, RepeatsAndLooksUp) {
  put<int32_t>(weights(16), {2, -1, 0});
  EXPECT_THAT(run({steps(2, 3, 0), {3, 1, 0, 0, 0, true, 16}}, {2, 3}, 3), ElementsAre(6, 9, 4, 6, 9, 4));
}

TEST_F(IndexMap, MovesFloatsBetweenHostMemory) {
  const std::vector<float> input{1.5F, -2, 3};
  std::vector<float> output(4);
  const dla_index_map_loop loop{4, 1, -1, 1, 4, false, 0};
  args.input_host = input.data();
  args.output_host = output.data();
  args.type = "float32";
  args.element_bytes = 4;
  args.input_elements = 3;
  args.fill = 0x3f800000;
  run({loop}, {4}, 2);
  EXPECT_THAT(output, ElementsAre(1, 3, -2, 1.5F));
  EXPECT_EQ(shown.at(0).type, "float32");
}

TEST_F(IndexMap, MovesIntegersOfEightBytes) {
  const std::vector<int64_t> input{-1, INT64_MIN, int64_t{1} << 40};
  put(arena(0), input);
  const dla_index_map_loop loop{4, 1, -1, 1, 4, false, 0};
  args.type = "int64";
  args.element_bytes = 8;
  args.input_elements = 3;
  args.fill = UINT64_MAX - 6;
  run({loop}, {4}, 2);
  std::vector<int64_t> output(4);
  std::memcpy(output.data(), arena(64), sizeof(int64_t) * output.size());
  EXPECT_THAT(output, ElementsAre(-7, int64_t{1} << 40, INT64_MIN, -1));
  EXPECT_EQ(shown.at(0).type, "int64");
  EXPECT_EQ(shown[0].bytes.size(), 32u);
}

/// Up to five axes, each by steps of either sign, a window of them, or a table; loops in any order.
TEST_F(IndexMap, EqualsOneReadAnElement) {
  const char* given = std::getenv("SEED");
  const unsigned seed = given == nullptr ? 11 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  std::printf("SEED=%u\n", seed);
  std::mt19937 random(seed);
  const auto between = [&](int64_t first, int64_t last) {
    return first + int64_t(random() % uint64_t(last - first + 1));
  };
  for (int round = 0; round < 3000; ++round) {
    const uint32_t bytes = std::array{1, 4, 8}[static_cast<size_t>(between(0, 2))];
    std::vector<uint8_t> source(400 * bytes);
    std::generate(source.begin(), source.end(), random);
    put(arena(0), source);
    std::vector<dla_index_map_loop> loops(static_cast<size_t>(between(1, 5)));
    std::vector<int64_t> places{0};  // Of each element: sums of steps; -1 for none.
    int64_t least = 0;
    uint32_t elements = 1;
    for (size_t axis = 0; axis < loops.size(); ++axis) {
      dla_index_map_loop& loop = loops[axis];
      loop = steps(static_cast<uint32_t>(between(1, loops.size() > 3 ? 3 : 6)), 0, int32_t(between(-9, 9)));
      loop.first = static_cast<uint32_t>(between(0, 3) == 0 ? between(0, loop.size) : 0);
      loop.last = static_cast<uint32_t>(between(0, 3) == 0 ? between(loop.first, loop.size) : loop.size);
      loop.has_table = between(0, 3) == 0;
      loop.table = static_cast<uint32_t>(64 * axis);
      std::vector<int32_t> table;
      int64_t low = 0;
      std::vector<int64_t> wider;
      for (uint32_t i = 0; i < loop.size; ++i) {
        table.push_back(int32_t(between(-3, 20)));
        const bool is_inside = loop.has_table ? table[i] >= 0 : i >= loop.first && i < loop.last;
        const int64_t step = loop.has_table ? table[i] : (int64_t(i) - loop.first) * loop.input_step;
        low = is_inside ? std::min(low, step) : low;
      }
      for (const int64_t place : places) {
        for (uint32_t i = 0; i < loop.size; ++i) {
          const bool is_inside = loop.has_table ? table[i] >= 0 : i >= loop.first && i < loop.last;
          const int64_t step = loop.has_table ? table[i] : (int64_t(i) - loop.first) * loop.input_step;
          wider.push_back(place == INT64_MIN || !is_inside ? INT64_MIN : place + step);
        }
      }
      put(weights(loop.table), table);
      places = wider;
      least += low;
      elements *= loop.size;
    }
    uint32_t step = elements;
    for (dla_index_map_loop& loop : loops) {
      step /= loop.size;
      loop.output_step = step;
    }
    std::shuffle(loops.begin(), loops.end(), random);
    args.element_bytes = bytes;
    args.input_elements = 400;
    args.output = 4096;
    args.fill = uint64_t{random()} << 32 | random();
    args.start = static_cast<uint32_t>(-least);
    args.shape[0] = elements;
    args.loops = loops.data();
    args.count = static_cast<uint32_t>(loops.size());
    ASSERT_EQ(dla_index_map_cpu(&rt, &args), kDlaOk) << "round " << round;
    for (uint32_t i = 0; i < elements; ++i) {
      const int64_t from = places[i] + args.start;
      const uint8_t* expected =
          places[i] == INT64_MIN ? reinterpret_cast<const uint8_t*>(&args.fill) : source.data() + from * bytes;
      ASSERT_EQ(std::memcmp(arena(4096 + i * bytes), expected, bytes), 0) << "round " << round << ", element " << i;
    }
  }
}

TEST_F(IndexMap, RefusesBadArguments) {
  put<int32_t>(weights(16), {2, -1, 6});
  const auto refuses = [&](auto change) {
    struct dla_index_map_cpu bad = args;
    dla_index_map_loop loops[9] = {steps(2, 3, 3), steps(3, 1, 1)};
    bad.loops = loops;
    bad.count = 2;
    change(bad, loops);
    return dla_index_map_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_FALSE(refuses([](auto&, auto&) {}));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.rank = 0; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.shape[0] = 7; })) << "an element would not be written";
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.shape[0] = 5; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.input = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.output = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.element_bytes = 2; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.type = nullptr; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.loops = nullptr; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.count = 0; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.count = 9; }));
  EXPECT_TRUE(refuses([](auto& x, auto&) { x.start = 1; })) << "reads behind the input";
  EXPECT_TRUE(refuses([](auto&, auto& l) { l[1].input_step = -1; })) << "reads before it";
  EXPECT_TRUE(refuses([](auto&, auto& l) { l[1].output_step = 2; })) << "writes behind the output";
  EXPECT_TRUE(refuses([](auto&, auto& l) { l[1].size = 0; }));
  EXPECT_TRUE(refuses([](auto&, auto& l) { l[1].last = 4; }));
  EXPECT_TRUE(refuses([](auto&, auto& l) { l[1].first = 4; }));
  const auto refuses_table = [&](uint32_t at, uint32_t start) {
    return refuses([&](auto& x, auto& l) {
      l[1].has_table = true;
      l[1].table = at;
      l[0].input_step = 0;
      x.start = start;
    });
  };
  put<int32_t>(weights(32), {2, -1, 5});
  EXPECT_FALSE(refuses_table(32, 0));
  EXPECT_TRUE(refuses_table(16, 0)) << "reads behind the input";
  EXPECT_TRUE(refuses_table(32, 1));
  EXPECT_TRUE(refuses_table(17, 0));
  EXPECT_TRUE(refuses_table(kWeightsBytes - 8, 0));
  EXPECT_EQ(dla_index_map_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_index_map_cpu(nullptr, &args), kDlaBadArg);
}

}  // namespace
