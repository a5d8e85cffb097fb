// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's kernels at scales of any kind: against the formulas in long double, at ties, limits and odd arguments.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A result of one float32 operation: long double holds products of two floats exactly, and quotients so well that
/// rounding them once more changes nothing.
float rounded(long double x) { return static_cast<float>(x); }

uint8_t to_uint8(float x, uint8_t zero_point, bool relu = false) {
  const float steps = std::nearbyint(x) + static_cast<float>(zero_point);
  return static_cast<uint8_t>(std::clamp(steps, relu ? static_cast<float>(zero_point) : 0.0F, 255.0F));
}

/// clamp(rne(f32(f32(acc) * scale)) + zero_point).
uint8_t requantized(int32_t acc, float scale, uint8_t zero_point, bool relu) {
  return to_uint8(rounded(static_cast<long double>(rounded(acc)) * scale), zero_point, relu);
}

class Scaled : public HostRuntime {
 protected:
  static constexpr uint32_t kMost = 256, kBiasAt = 1024, kScalesAt = 4096;

  /// Requantizes accumulators: biases of filters whose only weight is 0. One scale for all, or one each.
  std::vector<uint8_t> requantize(const std::vector<int32_t>& accs, const std::vector<float>& scales,
                                  uint8_t zero_point, bool relu, dla_rounding rounding = kDlaNearestEven) {
    put(weights(kBiasAt), accs);
    put(weights(kScalesAt), scales);
    const struct dla_qlinear_cpu args {
      .name = "fc", .ifmap = 0, .ofmap = 64, .filter = 0, .bias = kBiasAt, .C = 1,
      .M = static_cast<uint32_t>(accs.size()),
      .quant = {.rounding = rounding,
                .lowest = relu ? zero_point : uint8_t{0},
                .ifmap_zero_point = 3,
                .ofmap_zero_point = zero_point,
                .scale = scales[0]},
      .scaling = scales.size() > 1 ? kDlaByScales : kDlaByScale, .scales = kScalesAt
    };
    EXPECT_EQ(dla_qlinear_cpu(&rt, &args), kDlaOk);
    return get(arena(64), accs.size());
  }

  void expect_formula(const std::vector<int32_t>& accs, const std::vector<float>& scales) {
    for (const int zero_point : {0, 1, 128, 255}) {
      for (const bool relu : {false, true}) {
        std::vector<uint8_t> expected;
        for (size_t i = 0; i < accs.size(); ++i) {
          expected.push_back(requantized(accs[i], scales[i % scales.size()], static_cast<uint8_t>(zero_point), relu));
        }
        EXPECT_EQ(requantize(accs, scales, static_cast<uint8_t>(zero_point), relu), expected)
            << "zero point " << zero_point << ", scale " << scales[0];
      }
    }
  }
};

std::vector<int32_t> accumulators(std::mt19937& random) {
  std::vector<int32_t> accs{0,         1,        -1, 255, -255, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, -(1 << 24) - 1,
                            INT32_MAX, INT32_MIN};
  while (accs.size() < 256) {
    accs.push_back(static_cast<int32_t>(random()) >> (random() % 31));
  }
  return accs;
}

TEST_F(Scaled, RequantizesAtScalesFarFromOne) {
  std::mt19937 random(1);
  for (const float scale : {0.0F, 1e-45F, 1e-12F, 1e-6F, 0.003921569F, 0.3F, 1.0F, 1.7F, 1e6F, 3e38F}) {
    expect_formula(accumulators(random), {scale});
  }
}

TEST_F(Scaled, RequantizesEachFilterAtItsScale) {
  std::mt19937 random(2);
  std::vector<float> scales;
  while (scales.size() < kMost) {
    scales.push_back(std::ldexp(1.0F + static_cast<float>(random() % 1000) / 1000, -static_cast<int>(random() % 30)));
  }
  expect_formula(accumulators(random), scales);
}

/// Scales that put the rounded product on a tie, though the exact product is beside it.
TEST_F(Scaled, RoundsTiesOfTheRoundedProductToEven) {
  std::mt19937 random(3);
  int beside = 0;
  for (int steps = -20; steps <= 20; ++steps) {
    const auto acc = static_cast<int32_t>(random() % 1000000 + 1000) * (steps < 0 ? -1 : 1);
    const long double tie = steps + (steps < 0 ? -0.5L : 0.5L);
    const float scale = rounded(tie / acc);
    const long double exact = static_cast<long double>(acc) * scale;
    if (rounded(exact) != rounded(tie)) {
      continue;
    }
    const auto even = static_cast<uint8_t>(100 + std::nearbyint(static_cast<double>(tie)));
    EXPECT_THAT(requantize({acc}, {scale}, 100, false), ElementsAre(even)) << acc << " * " << scale;
    beside += static_cast<double>(std::nearbyint(exact)) != std::nearbyint(static_cast<double>(tie)) ? 1 : 0;
  }
  EXPECT_GT(beside, 5) << "products that rounding once would round otherwise";
}

TEST_F(Scaled, RoundsDownWhereTheCallSays) {
  std::mt19937 random(4);
  const std::vector<int32_t> accs = accumulators(random);
  for (const float scale : {1e-6F, 0.003921569F, 0.25F, 1.0F}) {
    std::vector<uint8_t> expected;
    for (const int32_t acc : accs) {
      const float product = rounded(static_cast<long double>(rounded(acc)) * scale);
      expected.push_back(static_cast<uint8_t>(std::clamp(std::floor(product) + 100, 0.0F, 255.0F)));
    }
    EXPECT_EQ(requantize(accs, {scale}, 100, false, kDlaFloor), expected) << scale;
  }
}

/// 2^24 + 1 is 2^24 in float32, and 2^24 + 3 is 2^24 + 4.
TEST_F(Scaled, RoundsAccumulatorsAbove24BitsFirst) {
  const int32_t high = 1 << 24;
  EXPECT_THAT(requantize({high + 1, high + 3}, {std::ldexp(1.0F, -25)}, 7, false), ElementsAre(7, 8))
      << "0.5 and what is above it; rounded once, both were above it";
  const float scale = rounded(2.5L / (high + 4));
  ASSERT_EQ(rounded(static_cast<long double>(high + 4) * scale), 2.5F);
  EXPECT_THAT(requantize({high + 3, high + 5, high + 8}, {scale}, 7, false), ElementsAre(9, 9, 10));
}

TEST_F(Scaled, ConvolvesWithReluAndPooling) {
  put<uint8_t>(arena(0), {10, 12, 14, 16, 9, 8, 7, 6});
  put<int8_t>(weights(0), {1, -1});
  put<int32_t>(weights(4), {3, 0});
  put<float>(weights(16), {0.3F, 1.7F});
  struct dla_qconv2d_cpu args {
    .name = "conv", .ifmap = 0, .ofmap = 64, .filter = 0, .bias = 4, .C = 1, .H = 2, .W = 4, .M = 2, .groups = 1,
    .window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, .quant = {.ifmap_zero_point = 10, .ofmap_zero_point = 100},
    .scaling = kDlaByScales, .scales = 16
  };
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  // Accumulators 3 5 7 9 2 1 0 -1 and 0 -2 -4 -6 1 2 3 4.
  EXPECT_THAT(get(arena(64), 16), ElementsAre(101, 102, 102, 103, 101, 100, 100, 100,  //
                                              100, 97, 93, 90, 102, 103, 105, 107));
  args.quant.lowest = 100;
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(72), 8), ElementsAre(100, 100, 100, 100, 102, 103, 105, 107));
  args.pool = true;
  ASSERT_EQ(dla_qconv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(64), 4), ElementsAre(102, 103, 103, 107));
  EXPECT_THAT(shown.back().shape, ElementsAre(2, 1, 2));
  EXPECT_EQ(dla_qconv2d_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_qconv2d_cpu(nullptr, &args), kDlaBadArg);
}

TEST_F(Scaled, RefusesScalesThatAreNone) {
  put<float>(weights(kScalesAt), {0.5F, 0.25F});
  put<float>(weights(kScalesAt + 8), {0.5F, -0.25F});
  put<float>(weights(kScalesAt + 16), {kInfinity, 0.25F});
  put<float>(weights(kScalesAt + 24), {0.5F, std::nanf("")});
  const auto run = [&](auto change) {
    struct dla_qlinear_cpu linear {
      .name = "fc", .ifmap = 0, .ofmap = 64, .filter = 0, .bias = 8, .C = 1, .M = 2, .quant = {.scale = 0.5F},
      .scaling = kDlaByScales, .scales = kScalesAt
    };
    change(linear);
    const struct dla_qconv2d_cpu conv {
      .name = "conv", .ifmap = 0, .ofmap = 64, .filter = 0, .bias = 8, .C = 1, .H = 1, .W = 1, .M = 2, .groups = 1,
      .window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, .quant = linear.quant, .scaling = linear.scaling,
      .scales = linear.scales
    };
    const dla_status_t status = dla_qlinear_cpu(&rt, &linear);
    EXPECT_EQ(dla_qconv2d_cpu(&rt, &conv), status);
    return status;
  };
  EXPECT_EQ(run([](auto&) {}), kDlaOk);
  EXPECT_EQ(run([](auto& a) { a.scaling = kDlaByScale; }), kDlaOk);
  shown.clear();
  for (const uint32_t at : {kScalesAt + 8, kScalesAt + 16, kScalesAt + 24, kScalesAt + 2, kWeightsBytes - 4}) {
    EXPECT_EQ(run([&](auto& a) { a.scales = at; }), kDlaBadArg) << at;
  }
  for (const float scale : {-0.5F, kInfinity, std::nanf("")}) {
    EXPECT_EQ(run([&](auto& a) { a.scaling = kDlaByScale, a.quant.scale = scale; }), kDlaBadArg) << scale;
  }
  EXPECT_EQ(dla_qlinear_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
}

TEST_F(Scaled, QuantizesByDivision) {
  std::mt19937 random(5);
  for (const float scale : {1e-6F, 0.1F, 0.3F, 0.5F, 1.0F / 255, 1e6F, 1e38F, 1e-40F}) {
    std::vector<float> input{0.0F, -0.0F, kInfinity, -kInfinity, std::nanf(""), 3e38F, -3e38F, 1e-45F};
    while (input.size() < 200) {
      const auto steps = static_cast<float>(static_cast<int>(random() % 1200) - 600) / 2;  // Every second a tie.
      input.push_back(steps * scale);
    }
    for (const int zero_point : {0, 100, 255}) {
      const struct dla_quantize args {
        .name = "q", .input_host = input.data(), .input = 0, .output_host = nullptr, .output = 8, .rank = 1,
        .shape = {static_cast<uint32_t>(input.size())}, .scale = scale, .zero_point = static_cast<uint8_t>(zero_point),
        .rounding = kDlaNearestEven
      };
      std::vector<uint8_t> expected;
      for (const float x : input) {
        const float steps = rounded(static_cast<long double>(x) / scale);
        expected.push_back(std::isnan(x) ? 0 : to_uint8(steps, static_cast<uint8_t>(zero_point)));
      }
      ASSERT_EQ(dla_quantize_cpu(&rt, &args), kDlaOk);
      EXPECT_EQ(get(arena(8), input.size()), expected) << scale;
    }
  }
}

TEST_F(Scaled, DequantizesByMultiplication) {
  put<uint8_t>(arena(0), {0, 100, 101, 255});
  float output[4] = {};
  struct dla_quantize args {
    .name = "d", .input_host = nullptr, .input = 0, .output_host = output, .output = 0, .rank = 1, .shape = {4},
    .scale = 0.3F, .zero_point = 100, .rounding = kDlaNearestEven
  };
  ASSERT_EQ(dla_dequantize_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(output, ElementsAre(-100 * 0.3F, 0.0F, 0.3F, 155 * 0.3F));
  args.output_host = nullptr;
  args.output = 16;
  ASSERT_EQ(dla_dequantize_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(std::memcmp(arena(16), output, sizeof output), 0);
}

}  // namespace
