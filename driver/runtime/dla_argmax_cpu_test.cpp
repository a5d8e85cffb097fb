// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places of the largest values on the host, along any axis, first and last; and what makes no sense.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class ArgMax : public HostRuntime {
 protected:
  struct dla_argmax_cpu args {
    .name = "argmax", .ifmap = 0, .output_host = nullptr, .output = 2048, .rank = 3, .shape = {6, 5, 1}, .size = 7,
    .step = 1, .selects_last = false
  };

  std::vector<float> floats(size_t count) {
    std::vector<float> values(count);
    std::memcpy(values.data(), arena(2048), count * sizeof(float));
    return values;
  }
};

TEST_F(ArgMax, IsTheFirstOrTheLastOfEqualOnes) {
  put<uint8_t>(arena(), {3, 9, 9, 1, 9, 0, 9, 255, 0, 255, 0, 0, 0, 0});
  args.rank = 1;
  args.shape[0] = 2;
  ASSERT_EQ(dla_argmax_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(floats(2), ElementsAre(1, 0));
  args.selects_last = true;
  ASSERT_EQ(dla_argmax_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(floats(2), ElementsAre(6, 2));
  EXPECT_EQ(shown.at(0).type, "float32");
}

TEST_F(ArgMax, RunsAlongAnyAxisIntoHostMemoryToo) {
  std::mt19937 random(1);
  std::vector<uint8_t> x(210);
  std::generate(x.begin(), x.end(), [&] { return static_cast<uint8_t>(random() % 20); });
  put(arena(), x);
  const std::pair<uint32_t, uint32_t> axes[] = {{7, 1}, {5, 7}, {6, 35}, {210, 1}};
  for (const auto& [size, step] : axes) {
    std::vector<float> output(210 / size), expected;
    args.rank = 1;
    args.shape[0] = 210 / size;
    args.size = size;
    args.step = step;
    args.output_host = output.data();
    ASSERT_EQ(dla_argmax_cpu(&rt, &args), kDlaOk);
    for (uint32_t i = 0; i < 210; ++i) {
      if (i / step % size == 0) {
        std::vector<uint8_t> along;
        for (uint32_t k = 0; k < size; ++k) {
          along.push_back(x[i + k * step]);
        }
        expected.push_back(static_cast<float>(std::max_element(along.begin(), along.end()) - along.begin()));
      }
    }
    EXPECT_EQ(output, expected) << size << " by " << step;
  }
}

TEST_F(ArgMax, RefusesWhatMakesNoSense) {
  EXPECT_EQ(dla_argmax_cpu(&rt, nullptr), kDlaBadArg);
  const auto refuses = [&](auto change) {
    struct dla_argmax_cpu bad = args;
    change(bad);
    EXPECT_EQ(dla_argmax_cpu(&rt, &bad), kDlaBadArg);
  };
  refuses([](auto& bad) { bad.size = 0; });
  refuses([](auto& bad) { bad.step = 0; });
  refuses([](auto& bad) { bad.step = 4; });
  refuses([](auto& bad) { bad.rank = 0; });
  refuses([](auto& bad) { bad.ifmap = kArenaBytes - 209; });
  refuses([](auto& bad) { bad.output = kArenaBytes - 116; });
  refuses([](auto& bad) { bad.output = 2; });
  EXPECT_TRUE(shown.empty());
}

}  // namespace
