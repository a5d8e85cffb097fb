// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 calls on the host against direct loops and the math library.
#include <cmath>
#include <functional>
#include <random>

#include "dla_float_math.h"
#include "dla_test_memory.h"

namespace {

std::vector<float> draw(std::size_t count, float most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> in_range(-most, most);
  std::vector<float> values(count);
  for (float& value : values) {
    value = in_range(random);
  }
  return values;
}

class FloatCalls : public HostRuntime {
 protected:
  std::vector<float> floats(const uint8_t* place, std::size_t count) {
    std::vector<float> values(count);
    std::memcpy(values.data(), place, count * sizeof(float));
    return values;
  }
};

TEST_F(FloatCalls, ConvolutionIsTheSumUnderItsWindow) {
  std::mt19937 random(2);
  const auto between = [&](uint32_t first, uint32_t last) {
    return static_cast<uint32_t>(first + random() % (last - first + 1));
  };
  for (unsigned round = 0; round < 100; ++round) {
    struct dla_float_conv2d_cpu args {
      .name = "conv", .x_host = nullptr, .x = 0, .y_host = nullptr, .y = 2048, .filter = 0, .bias = 6000
    };
    args.groups = between(1, 2);
    args.C = args.groups * between(1, 2);
    args.M = args.groups * between(1, 2);
    args.H = between(3, 6);
    args.W = between(3, 6);
    args.relu = round % 2 == 1;
    args.window = {{between(1, 3), between(1, 3)},
                   {between(1, 2), between(1, 2)},
                   {1, between(1, 2)},
                   {between(0, 2), between(0, 2), between(1, 2), between(2, 3)}};
    const uint32_t channels = args.C / args.groups, R = args.window.kernel[0], S = args.window.kernel[1];
    const std::vector<float> x = draw(args.C * args.H * args.W, 2, round),
                             w = draw(args.M * channels * R * S, 1, round + 1000), b = draw(args.M, 1, round + 2000);
    put(arena(0), x);
    put(weights(0), w);
    put(weights(6000), b);
    ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk) << "round " << round;
    const uint32_t E = shown.back().shape.at(1), F = shown.back().shape.at(2);
    const std::vector<float> y = floats(arena(2048), args.M * E * F);
    EXPECT_EQ(E, (args.H + args.window.pads[0] + args.window.pads[2] - R) / args.window.strides[0] + 1);
    for (uint32_t i = 0; i < y.size(); ++i) {
      const uint32_t m = i / (E * F), e = i / F % E, f = i % F;
      double sum = b[m];
      for (uint32_t c = 0; c < channels; ++c) {
        for (uint32_t r = 0; r < R; ++r) {
          for (uint32_t s = 0; s < S; ++s) {
            const int row = static_cast<int>(e * args.window.strides[0] + r) - static_cast<int>(args.window.pads[0]);
            const int col = static_cast<int>(f * args.window.strides[1] + s * args.window.dilations[1]) -
                            static_cast<int>(args.window.pads[1]);
            if (row >= 0 && row < static_cast<int>(args.H) && col >= 0 && col < static_cast<int>(args.W)) {
              const uint32_t channel = m / (args.M / args.groups) * channels + c;
              sum += static_cast<double>(x[(channel * args.H + row) * args.W + col]) *
                     static_cast<double>(w[((m * channels + c) * R + r) * S + s]);
            }
          }
        }
      }
      EXPECT_FLOAT_EQ(y[i], static_cast<float>(args.relu ? std::max(sum, 0.0) : sum)) << "round " << round;
    }
  }
}

TEST_F(FloatCalls, ConvolutionRefusesWhatMakesNoSense) {
  struct dla_float_conv2d_cpu args {
    .name = "conv", .x_host = nullptr, .x = 0, .y_host = nullptr, .y = 2048, .filter = 0, .bias = 4096, .C = 2, .H = 3,
    .W = 3, .M = 2, .groups = 1, .window = {{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, .relu = false
  };
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, nullptr), kDlaBadArg);
  ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
  args.bias = 4098;
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg) << "floats at an odd place";
  args.bias = 8192;
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg) << "behind the weights";
  args.bias = 4096;
  args.groups = 0;
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg);
}

struct Function {
  dla_unary function;
  float alpha, beta;
  std::function<double(double)> expected;
};

TEST_F(FloatCalls, FunctionsAreThoseOfTheMathLibrary) {
  const std::vector<Function> functions{
      {kDlaClip, -0.5F, 3, [](double x) { return std::clamp(x, -0.5, 3.0); }},
      {kDlaElu, 1.5F, 0, [](double x) { return x >= 0 ? x : 1.5 * std::expm1(x); }},
      {kDlaExp, 0, 0, [](double x) { return std::exp(x); }},
      {kDlaHardSigmoid, 0.25F, 0.5F, [](double x) { return std::clamp(0.25 * x + 0.5, 0.0, 1.0); }},
      {kDlaHardSwish, 0, 0, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {kDlaLeakyRelu, 0.125F, 0, [](double x) { return x >= 0 ? x : 0.125 * x; }},
      {kDlaRelu, 0, 0, [](double x) { return std::max(x, 0.0); }},
      {kDlaRound, 0, 0, [](double x) { return std::nearbyint(x); }},
      {kDlaSigmoid, 0, 0, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {kDlaTanh, 0, 0, [](double x) { return std::tanh(x); }},
  };
  std::vector<float> x{0,  -0.0F, 1e-6F, -1e-6F, 1e-3F, -1e-3F, 0.01F,    3,        -3,
                       80, -80,   100,   -100,   1000,  -1000,  INFINITY, -INFINITY};
  for (const float most : {1e-4F, 0.1F, 1.0F, 20.0F}) {
    const std::vector<float> more = draw(100, most, 3);
    x.insert(x.end(), more.begin(), more.end());
  }
  for (const Function& row : functions) {
    std::vector<float> y(x.size());
    const struct dla_float_unary_cpu args {
      .name = "f", .x_host = x.data(), .x = 0, .y_host = y.data(), .y = 0, .rank = 1,
      .shape = {static_cast<uint32_t>(x.size())}, .function = row.function, .alpha = row.alpha, .beta = row.beta
    };
    ASSERT_EQ(dla_float_unary_cpu(&rt, &args), kDlaOk);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto expected = static_cast<float>(row.expected(static_cast<double>(x[i])));
      EXPECT_EQ(std::isnan(y[i]), std::isnan(expected)) << "function " << row.function << " of " << x[i];
      if (!std::isnan(expected)) {
        EXPECT_FLOAT_EQ(y[i], expected) << "function " << row.function << " of " << x[i];
      }
    }
  }
}

TEST_F(FloatCalls, ExponentialIsThatOfTheMathLibrary) {
  for (double x = -690; x < 700; x += 0.0371) {
    EXPECT_NEAR(dla_exp(x) / std::exp(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(dla_exp(0), 1);
  EXPECT_EQ(dla_exp(-1000), 0);
  EXPECT_TRUE(std::isinf(static_cast<float>(dla_exp(1000))));
  EXPECT_TRUE(std::isnan(dla_exp(NAN)));
}

TEST_F(FloatCalls, RangesBecomeScaleAndZeroPoint) {
  for (const std::vector<float>& x : std::vector<std::vector<float>>{
           {-1, 0.5F, 4.1F}, {1, 2, 3}, {-3, -2}, {0, 0}, {-1e-3F, 1e4F}, draw(300, 5, 6)}) {
    const float least = std::min(0.0F, *std::min_element(x.begin(), x.end()));
    const float most = std::max(0.0F, *std::max_element(x.begin(), x.end()));
    const float scale = most == least ? 1 : (most - least) / 255;
    float found = 0;
    struct dla_dynamic_range_cpu args {
      .name = "range", .x_host = x.data(), .x = 0, .y_host = &found, .y = 64, .rank = 1, .shape = {
        static_cast<uint32_t>(x.size())
      }
    };
    ASSERT_EQ(dla_dynamic_scale_cpu(&rt, &args), kDlaOk);
    EXPECT_EQ(found, scale);
    args.y_host = nullptr;
    ASSERT_EQ(dla_dynamic_zero_point_cpu(&rt, &args), kDlaOk);
    EXPECT_EQ(*arena(64), std::nearbyint(-least / scale));
  }
}

TEST_F(FloatCalls, SoftmaxAddsUpToOneAlongItsAxis) {
  const std::vector<float> x = draw(std::size_t{2} * 5 * 3, 8, 4);
  std::vector<float> y(x.size());
  struct dla_float_softmax_cpu args {
    .name = "softmax", .x_host = x.data(), .x = 0, .y_host = y.data(), .y = 0, .rank = 3, .shape = {2, 5, 3},
    .count = 5, .step = 3
  };
  ASSERT_EQ(dla_float_softmax_cpu(&rt, &args), kDlaOk);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      sum += std::exp(static_cast<double>(x[i / 15 * 15 + k * 3 + i % 3]));
    }
    EXPECT_FLOAT_EQ(y[i], static_cast<float>(std::exp(static_cast<double>(x[i])) / sum));
  }
  args.count = 4;
  EXPECT_EQ(dla_float_softmax_cpu(&rt, &args), kDlaBadArg) << "12 is no part of 30";
}

/// Means and maxima of one plane, 3x4, under 2x2 windows of stride 2 with a row of padding above and a column behind.
TEST_F(FloatCalls, PoolsTakeWhatIsUnderTheirWindows) {
  const std::vector<float> x{1, -2, 3, 8, -4, 5, 0, 2, 7, -6, 1, 1};
  std::vector<float> y(6);
  struct dla_float_pool_cpu args {
    .name = "pool", .x_host = x.data(), .x = 0, .y_host = y.data(), .y = 0, .C = 1, .H = 3, .W = 4, .is_mean = false,
    .ceil_mode = false, .count_include_pad = false, .window = {
      {2, 2},
      {2, 2},
      {1, 1},
      {1, 0, 0, 1}
    }
  };
  ASSERT_EQ(dla_float_pool_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(shown.back().shape, (std::vector<uint32_t>{1, 2, 2}));
  y.resize(4);
  EXPECT_EQ(y, (std::vector<float>{1, 8, 7, 2}));
  args.is_mean = true;
  ASSERT_EQ(dla_float_pool_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(y, (std::vector<float>{-0.5F, 5.5F, 0.5F, 1}));
  args.count_include_pad = true;
  ASSERT_EQ(dla_float_pool_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(y, (std::vector<float>{-0.25F, 2.75F, 0.5F, 1}));
  args.ceil_mode = true;  // One more column, whose only tap lies in the padding.
  y.resize(6);
  ASSERT_EQ(dla_float_pool_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(shown.back().shape, (std::vector<uint32_t>{1, 2, 2})) << "a window that starts behind the input is none";
  args.window.kernel[0] = 9;
  EXPECT_EQ(dla_float_pool_cpu(&rt, &args), kDlaBadArg) << "the window is larger than the plane";
}

TEST_F(FloatCalls, JoinsRunByRun) {
  const std::vector<float> a{1, 2, 3, 4}, b{5, 6};
  std::vector<float> y(6);
  const struct dla_float_concat_input inputs[] = {{.x_host = a.data(), .x = 0, .run = 2},
                                                  {.x_host = b.data(), .x = 0, .run = 1}};
  struct dla_float_concat_cpu args {
    .name = "join", .y_host = y.data(), .y = 0, .rank = 2, .shape = {2, 3}, .runs = 2, .inputs = inputs, .count = 2
  };
  ASSERT_EQ(dla_float_concat_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(y, (std::vector<float>{1, 2, 5, 3, 4, 6}));
  args.count = 1;
  EXPECT_EQ(dla_float_concat_cpu(&rt, &args), kDlaBadArg) << "4 of 6";
}

}  // namespace
