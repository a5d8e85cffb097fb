// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantize and dequantize on the host, at ties, limits and odd inputs.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dla_scale.h"
#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

TEST(Scale, IsTheExactPowerOfTwo) {
  for (int log2 = -DLA_SCALE_LOG2_LIMIT; log2 <= DLA_SCALE_LOG2_LIMIT; ++log2) {
    EXPECT_EQ(dla_scale(log2), std::ldexp(1.0f, log2)) << log2;
  }
}

TEST(QuantizeElement, EqualsTruncOfTheMathLibrary) {
  for (int i = -3000; i <= 3000; ++i) {
    const float x = static_cast<float>(i) / 16.0f;
    const float truncated = std::clamp(std::trunc(x * 2.0f) + 7.0f, 0.0f, 255.0f);
    EXPECT_EQ(dla_truncate_element(x, 2.0f, 7), truncated) << x;
  }
  EXPECT_EQ(dla_truncate_element(std::nanf(""), 1.0f, 77), 77);
}

class Elementwise : public HostRuntime {};

TEST_F(Elementwise, QuantizeReadsHostMemory) {
  const float input[] = {0.0f, 0.5f, 1.5f, -0.5f, -1.5f, -1.9f, 1e30f, -1e30f, std::numeric_limits<float>::infinity()};
  dla_quantize args{.name = "quantize",
                    .input_host = input,
                    .input = 0,
                    .output_host = nullptr,
                    .output = 8,
                    .rank = 2,
                    .shape = {3, 3},
                    .scale = 1,
                    .zero_point = 128,
                    .rounding = kDlaNearestEven};
  ASSERT_EQ(dla_quantize_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(8), 9), ElementsAre(128, 128, 130, 128, 126, 126, 255, 0, 255));
  args.rounding = kDlaFloor;
  ASSERT_EQ(dla_quantize_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(8), 9), ElementsAre(128, 128, 129, 128, 127, 127, 255, 0, 255)) << "toward zero";
  EXPECT_THAT(shown.at(0).shape, ElementsAre(3, 3));
}

TEST_F(Elementwise, QuantizeAndDequantizeUseTheArenaWhereThereIsNoHostPointer) {
  put<float>(arena(0), {0.25f, -0.5f});
  const dla_quantize in{.name = "q",
                        .input_host = nullptr,
                        .input = 0,
                        .output_host = nullptr,
                        .output = 16,
                        .rank = 1,
                        .shape = {2},
                        .scale = 0.25F,
                        .zero_point = 5,
                        .rounding = kDlaNearestEven};
  ASSERT_EQ(dla_quantize_cpu(&rt, &in), kDlaOk);
  EXPECT_THAT(get(arena(16), 2), ElementsAre(6, 3));
  dla_quantize out = in;
  out.input = 16;
  out.output = 32;
  ASSERT_EQ(dla_dequantize_cpu(&rt, &out), kDlaOk);
  float back[2];
  std::memcpy(back, arena(32), sizeof back);
  EXPECT_THAT(back, ElementsAre(0.25f, -0.5f));
  EXPECT_EQ(shown.back().type, "float32");
  EXPECT_EQ(shown.back().bytes.size(), 8u);
}

TEST_F(Elementwise, DequantizeWritesHostMemory) {
  put<uint8_t>(arena(0), {0, 128, 255});
  float output[3] = {};
  const dla_quantize args{.name = "d",
                          .input_host = nullptr,
                          .input = 0,
                          .output_host = output,
                          .output = 0,
                          .rank = 1,
                          .shape = {3},
                          .scale = 0x1p-4F,
                          .zero_point = 128,
                          .rounding = kDlaFloor};
  ASSERT_EQ(dla_dequantize_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(output, ElementsAre(-8.0f, 0.0f, 127.0f / 16));
}

TEST_F(Elementwise, QuantizeRefusesBadArguments) {
  const float input[] = {0};
  const dla_quantize good{.name = "q",
                          .input_host = input,
                          .input = 0,
                          .output_host = nullptr,
                          .output = 0,
                          .rank = 1,
                          .shape = {1},
                          .scale = 1,
                          .zero_point = 0,
                          .rounding = kDlaFloor};
  const auto refuses = [&](auto change) {
    dla_quantize bad = good;
    change(bad);
    return dla_quantize_cpu(&rt, &bad) == kDlaBadArg && dla_dequantize_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& a) { a.rank = 0; }));
  EXPECT_TRUE(refuses([](auto& a) { a.rank = DLA_MOST_DIMENSIONS + 1; }));
  EXPECT_TRUE(refuses([](auto& a) { a.shape[0] = 0; }));
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_TRUE(refuses([&](auto& a) { a.scale = scale; })) << scale;
  }
  EXPECT_TRUE(refuses([](auto& a) {
    a.input = a.output = kArenaBytes;
    a.input_host = nullptr;
  }));
  EXPECT_EQ(dla_quantize_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_dequantize_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
}

}  // namespace
