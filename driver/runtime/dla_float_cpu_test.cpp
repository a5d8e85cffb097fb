// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 calls on the host against direct loops and the math library.
#include <cmath>
#include <random>

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

using Conv = struct dla_float_conv2d_cpu;  // Its call has the same name.

/// A convolution's outputs, and of each how far float32 sums in any order may be from it: a rounding a term.
struct Expected {
  std::vector<double> y, apart;
};

Expected convolve_directly(const Conv& args, const std::vector<float>& x, const std::vector<float>& w,
                           const std::vector<float>& b, uint32_t E, uint32_t F) {
  const uint32_t channels = args.C / args.groups, R = args.window.kernel[0], S = args.window.kernel[1];
  Expected expected;
  for (uint32_t i = 0; i < args.M * E * F; ++i) {
    const uint32_t m = i / (E * F), e = i / F % E, f = i % F;
    double sum = b[m], size = std::abs(b[m]);
    for (uint32_t k = 0; k < channels * R * S; ++k) {
      const uint32_t c = k / (R * S), r = k / S % R, s = k % S;
      const int64_t row = int64_t{e} * args.window.strides[0] + r * args.window.dilations[0] - args.window.pads[0];
      const int64_t col = int64_t{f} * args.window.strides[1] + s * args.window.dilations[1] - args.window.pads[1];
      if (row >= 0 && row < args.H && col >= 0 && col < args.W) {
        const uint32_t channel = m / (args.M / args.groups) * channels + c;
        const double product = static_cast<double>(x[(size_t{channel} * args.H + row) * args.W + col]) *
                               static_cast<double>(w[size_t{m} * channels * R * S + k]);
        sum += product;
        size += std::abs(product);
      }
    }
    expected.y.push_back(args.relu ? std::max(sum, 0.0) : sum);
    expected.apart.push_back(size * (channels * R * S + 1) * 0x1p-24);
  }
  return expected;
}

uint32_t positions(const Conv& args, uint32_t axis, uint32_t in) {
  const dla_window& w = args.window;
  return (in + w.pads[axis] + w.pads[axis + 2] - w.dilations[axis] * (w.kernel[axis] - 1) - 1) / w.strides[axis] + 1;
}

/// Runs a convolution of drawn numbers on memory of the test, and compares it with a loop nest.
void expect_convolution(dla_runtime& rt, uint8_t* weights, Conv args, unsigned seed) {
  const uint32_t taps = args.C / args.groups * args.window.kernel[0] * args.window.kernel[1];
  const uint32_t E = positions(args, 0, args.H), F = positions(args, 1, args.W), N = std::max(args.N, 1U);
  const size_t picture = size_t{args.C} * args.H * args.W, outputs = size_t{args.M} * E * F;
  const std::vector<float> x = draw(N * picture, 2, seed), w = draw(args.M * taps, 1, seed + 1000),
                           b = draw(args.M, 1, seed + 2000);
  std::vector<float> y(N * outputs + 1, 77);
  args.name = "conv";
  args.x_host = x.data();
  args.y_host = y.data();
  args.filter = 0;
  args.bias = args.M * taps * sizeof(float);
  std::memcpy(weights, w.data(), w.size() * sizeof(float));
  std::memcpy(weights + args.bias, b.data(), b.size() * sizeof(float));
  ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(y.back(), 77) << "written beyond the output";
  for (uint32_t n = 0; n < N; ++n) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(n * picture);
    const std::vector<float> own(first, first + static_cast<std::ptrdiff_t>(picture));
    const Expected expected = convolve_directly(args, own, w, b, E, F);
    for (uint32_t i = 0; i < expected.y.size(); ++i) {
      ASSERT_NEAR(y[n * outputs + i], expected.y[i], expected.apart[i]) << "picture " << n << ", output " << i;
    }
  }
}

TEST_F(FloatCalls, ConvolutionIsTheSumUnderItsWindow) {
  std::mt19937 random(2);
  const auto between = [&](uint32_t first, uint32_t last) {
    return static_cast<uint32_t>(first + random() % (last - first + 1));
  };
  for (unsigned round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Conv args{};
    args.groups = between(1, 2);
    args.C = args.groups * between(1, 3);
    args.M = args.groups * between(1, 11);
    args.H = between(3, 9);
    args.W = between(3, 9);
    args.relu = round % 2 == 1;
    args.N = round % 4;
    args.window = {{between(1, 3), between(1, 3)},
                   {between(1, 3), between(1, 3)},
                   {between(1, 2), between(1, 2)},
                   {between(0, 2), between(0, 2), between(2, 3), between(2, 3)}};
    ASSERT_NO_FATAL_FAILURE(expect_convolution(rt, weights(), args, round));
  }
}

/// y = x * inputs[0][filter] + inputs[1][element], of a convolution of kM filters and kPlane outputs a filter.
constexpr uint32_t kM = 18, kPlane = 21 * 22;
void scale_and_add(const void* const* inputs, uint32_t m, uint32_t first, uint32_t count, const float* x, float* y) {
  for (uint32_t i = 0; i < count; ++i) {
    y[i] = 0;  // What is not written below would be seen.
  }
  ASSERT_LT(m, kM);
  ASSERT_LE(first + count, kPlane);
  for (uint32_t i = 0; i < count; ++i) {
    y[i] = x[i] * static_cast<const float*>(inputs[0])[m] +
           static_cast<const float*>(inputs[1])[size_t{m} * kPlane + first + i];
  }
}

/// Whatever the kernel, each element is given to the end once, with its place.
TEST_F(FloatCalls, AnEndTakesEveryResultInItsPlace) {
  struct Way {
    const char* name;
    uint32_t C, H, W, groups;
    dla_window window;
  };
  for (const Way& way : std::vector<Way>{{"pixels", 5, 21, 22, 1, {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}},
                                         {"depthwise", kM, 21, 22, kM, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
                                         {"depthwise in steps", kM, 42, 44, kM, {{3, 3}, {2, 2}, {1, 1}, {1, 1, 0, 0}}},
                                         {"bands", 4, 21, 22, 2, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
                                         {"windows", 1, 21, 9322, 1, {{1, 2}, {1, 1}, {1, 9300}, {0, 0, 0, 0}}}}) {
    SCOPED_TRACE(way.name);
    const uint32_t taps = way.C / way.groups * way.window.kernel[0] * way.window.kernel[1];
    const std::vector<float> x = draw(size_t{way.C} * way.H * way.W, 2, 1), b = draw(kM, 1, 3), scale = draw(kM, 1, 4),
                             addend = draw(size_t{kM} * kPlane, 1, 5);
    std::vector<float> plain(size_t{kM} * kPlane), y(plain.size());
    Conv args{};
    args.name = "conv";
    args.x_host = x.data();
    args.y_host = plain.data();
    args.bias = 0;
    args.filter = kM * sizeof(float);
    args.C = way.C;
    args.H = way.H;
    args.W = way.W;
    args.M = kM;
    args.groups = way.groups;
    args.window = way.window;
    std::vector<float> constants = b;
    constants.resize(kM + size_t{kM} * taps, 0.5F);
    std::memcpy(weights(), constants.data(), constants.size() * sizeof(float));
    ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
    const dla_nest_input inputs[] = {{scale.data(), 0, false, kM * sizeof(float)},
                                     {addend.data(), 0, false, kM * kPlane * sizeof(float)}};
    args.y_host = y.data();
    args.end = {scale_and_add, inputs, 2};
    ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], plain[i] * scale[i / kPlane] + addend[i]) << "output " << i;
    }
    args.end.count = 9;
    EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg) << "more inputs than it takes";
  }
}

/// y = x * inputs[0][filter], where each filter has one output.
void scale_filters(const void* const* inputs, uint32_t m, uint32_t first, uint32_t count, const float* x, float* y) {
  ASSERT_EQ(m, 0U);
  for (uint32_t i = 0; i < count; ++i) {
    y[i] = x[i] * static_cast<const float*>(inputs[0])[first + i];
  }
}

/// Whose filters fill lines of 256, or do not; in one group or in several.
TEST_F(FloatCalls, AnEndTakesTheFiltersOfFullyConnectedLayers) {
  for (const uint32_t M : {3U, 255U, 258U, 600U, 768U}) {
    for (const uint32_t groups : {1U, 3U}) {
      SCOPED_TRACE(testing::Message() << M << " filters in " << groups << " groups");
      Conv args{};
      args.C = 2 * groups;
      args.H = 2;
      args.W = 3;
      args.M = M;
      args.groups = groups;
      args.window = {{2, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
      ASSERT_NO_FATAL_FAILURE(expect_convolution(rt, weights(), args, M));
      args.name = "dense";
      const std::vector<float> x = draw(size_t{args.C} * 6, 2, 1), scale = draw(M, 1, 4);
      std::vector<float> plain(M), y(M + 1, 77);
      args.x_host = x.data();
      args.y_host = plain.data();
      args.bias = M * 12 * sizeof(float);  // The weights are those above.
      ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
      const dla_nest_input inputs[] = {{scale.data(), 0, false, static_cast<uint32_t>(M * sizeof(float))}};
      args.y_host = y.data();
      args.end = {scale_filters, inputs, 1};
      ASSERT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaOk);
      for (uint32_t m = 0; m < M; ++m) {
        ASSERT_EQ(y[m], plain[m] * scale[m]) << "output " << m;
      }
      EXPECT_EQ(y.back(), 77) << "written beyond the output";
    }
  }
}

/// One filter a channel, under any window; and filters of one pixel.
TEST_F(FloatCalls, DepthwiseAndPixelConvolutionsAreTheSumsUnderTheirWindows) {
  std::mt19937 random(3);
  const auto between = [&](uint32_t first, uint32_t last) {
    return static_cast<uint32_t>(first + random() % (last - first + 1));
  };
  for (unsigned round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const bool is_depthwise = round % 4 != 0;
    Conv args{};
    args.C = between(1, 20);
    args.M = is_depthwise ? args.C : between(1, 40);
    args.groups = is_depthwise ? args.C : 1;
    args.H = between(is_depthwise ? 3 : 1, 40);
    args.W = between(is_depthwise ? 3 : 1, 40);
    args.relu = round % 2 == 1;
    args.window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    if (is_depthwise) {
      args.window = {{3, 3}, {between(1, 2), between(1, 3)}, {1, 1}, {between(0, 1), between(0, 2), 1, between(0, 2)}};
    }
    if (round % 4 == 3) {
      args.window = {{between(1, 5), between(1, 5)},
                     {between(1, 3), between(1, 3)},
                     {between(1, 2), between(1, 2)},
                     {between(0, 2), between(0, 2), between(6, 8), between(6, 8)}};
    }
    ASSERT_NO_FATAL_FAILURE(expect_convolution(rt, weights(), args, round));
  }
}

/// Layers larger than what is worked on at a time, and next to its limits.
TEST_F(FloatCalls, LargeConvolutionsAreTheSumsUnderTheirWindows) {
  constexpr dla_window kSame3x3 = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
                       kPixel = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
  struct LargeLayer {
    const char* name;
    uint32_t C, H, W, M, groups;
    dla_window window;
  };
  for (const LargeLayer& l : std::vector<LargeLayer>{
           {"channels in slices", 60, 9, 9, 3, 1, kSame3x3},
           {"rows longer than a band", 2, 5, 700, 9, 1, kSame3x3},
           {"a plane as one row", 7, 40, 33, 41, 1, kPixel},
           {"strides and dilations", 3, 41, 43, 18, 1, {{5, 3}, {2, 3}, {1, 2}, {1, 2, 3, 0}}},
           {"depthwise", 30, 33, 35, 30, 30, kSame3x3},
           {"depthwise, rows in several batches", 3, 90, 200, 3, 3, kSame3x3},
           {"depthwise, rows too long for a batch", 3, 5, 5000, 3, 3, {{3, 1}, {1, 1}, {1, 1}, {1, 0, 1, 0}}},
           {"depthwise, two filters a channel", 6, 20, 21, 12, 6, {{3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}}},
           {"pixels of many channels", 200, 3, 7, 9, 1, kPixel},
           {"few pixels of more channels than are copied", 600, 3, 3, 3, 1, kPixel},
           {"fully connected", 100, 1, 1, 19, 1, kPixel},
           {"a window that is the ifmap", 4, 5, 6, 9, 1, {{5, 6}, {1, 1}, {1, 1}, {0, 0, 0, 0}}},
           {"more taps than a band takes", 2, 50, 40, 1, 1, {{31, 30}, {3, 5}, {1, 1}, {2, 1, 0, 3}}},
           {"far strides", 2, 1, 1, 2, 2, {{1, 1}, {1U << 30, 1U << 30}, {3, 3}, {0, 0, 1U << 30, 1U << 30}}}}) {
    SCOPED_TRACE(l.name);
    Conv args{};
    args.C = l.C;
    args.H = l.H;
    args.W = l.W;
    args.M = l.M;
    args.groups = l.groups;
    args.window = l.window;
    expect_convolution(rt, weights(), args, 1);
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
  args.bias = kWeightsBytes;
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg) << "behind the weights";
  args.bias = 4096;
  args.groups = 0;
  EXPECT_EQ(dla_float_conv2d_cpu(&rt, &args), kDlaBadArg);
}

void add_and_double(const void* const* inputs, void* y) {
  const auto* a = static_cast<const float*>(inputs[0]);
  const auto* b = static_cast<const float*>(inputs[1]);
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(y)[i] = 2 * a[i] + b[i];
  }
}

void is_above_two(const void* const* inputs, void* y) {
  for (int i = 0; i < 4; ++i) {
    static_cast<uint8_t*>(y)[i] = static_cast<const float*>(inputs[0])[i] > 2 ? 1 : 0;
  }
}

TEST_F(FloatCalls, NestsReadTheArenaAndConstants) {
  put(arena(0), std::vector<float>{1, 2, 3, 4});
  put(weights(64), std::vector<float>{10, 20, 30, 40});
  struct dla_nest_input inputs[] = {{nullptr, 0, false, 16}, {nullptr, 64, true, 16}};
  struct dla_nest_cpu args {
    .name = "nest", .run = add_and_double, .y_host = nullptr, .y = 128, .type = "float32", .element_bytes = 4,
    .rank = 1, .shape = {4}, .inputs = inputs, .count = 2
  };
  ASSERT_EQ(dla_nest_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(floats(arena(128), 4), (std::vector<float>{12, 24, 36, 48}));
  EXPECT_EQ(shown.back().name, "nest");
  EXPECT_EQ(shown.back().type, "float32");

  args.run = is_above_two;
  args.type = "bool";
  args.element_bytes = 1;
  ASSERT_EQ(dla_nest_cpu(&rt, &args), kDlaOk);
  EXPECT_EQ(std::vector<uint8_t>(arena(128), arena(128) + 4), (std::vector<uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(shown.back().type, "bool");

  args.count = 9;
  EXPECT_EQ(dla_nest_cpu(&rt, &args), kDlaBadArg) << "more inputs than a nest may have";
  args.count = 2;
  inputs[1].bytes = 1U << 30U;
  EXPECT_EQ(dla_nest_cpu(&rt, &args), kDlaBadArg) << "constants outside of the weights";
  inputs[1].bytes = 16;
  args.y = 1U << 30U;
  EXPECT_EQ(dla_nest_cpu(&rt, &args), kDlaBadArg) << "a result outside of the arena";
  args.run = nullptr;
  EXPECT_EQ(dla_nest_cpu(&rt, &args), kDlaBadArg);
  EXPECT_EQ(dla_nest_cpu(&rt, nullptr), kDlaBadArg);
}

}  // namespace
