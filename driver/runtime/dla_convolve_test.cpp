// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution against a direct loop nest: random shapes, windows, groups and zero points.
#include "dla_convolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <vector>

#include "dla_widest_vectors.h"
#include "spec/dla_requant.h"

namespace {

/// One case: a convolution and its operands.
struct Case {
  dla_convolution conv{};
  std::vector<uint8_t> ifmap;
  std::vector<int8_t> filter;
  std::vector<int32_t> bias;
  std::vector<float> scales;  ///< One, or one a filter; none: the shift.
};

/// Draws cases; the same seed draws the same ones.
class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  uint32_t number(uint32_t low, uint32_t high) { return std::uniform_int_distribution<uint32_t>(low, high)(random_); }

  Case a_case() {
    Case drawn;
    dla_convolution& conv = drawn.conv;
    conv.groups = number(0, 3) == 0 ? number(1, 4) : 1;
    conv.C = conv.groups * number(1, 9);
    conv.M = conv.groups * (number(0, 9) == 0 ? number(120, 140) : number(1, 9));
    conv.H = number(1, 14);
    conv.W = number(1, 14);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      conv.window.kernel[axis] = number(1, 5);
      conv.window.strides[axis] = number(1, 4);
      conv.window.dilations[axis] = number(0, 3) == 0 ? number(1, 3) : 1;
      conv.window.pads[axis] = number(0, 3);
      conv.window.pads[axis + 2] = number(0, 3);
    }
    conv.pool = number(0, 1) == 1;
    if (conv.pool && number(0, 1) == 1) {
      conv.pooling.size = number(2, 3);
      conv.pooling.stride = number(1, 3);
      for (uint32_t& pad : conv.pooling.pads) {
        pad = number(0, conv.pooling.size - 1);
      }
    }
    conv.quant = {.shift = number(0, 12),
                  .rounding = number(0, 1) == 1 ? kDlaFloor : kDlaNearestEven,
                  .lowest = static_cast<uint8_t>(number(0, 1) * number(0, 150)),
                  .ifmap_zero_point = static_cast<uint8_t>(number(0, 255)),
                  .ofmap_zero_point = static_cast<uint8_t>(number(0, 255)),
                  .headroom = static_cast<uint8_t>(number(0, 1) * number(0, 100))};
    fill(drawn);
    const uint32_t scales[] = {0, 1, conv.M};
    drawn.scales.resize(scales[number(0, 2)]);
    std::generate(drawn.scales.begin(), drawn.scales.end(), [&] { return 1.0F / static_cast<float>(number(3, 9999)); });
    return drawn;
  }

  void fill(Case& drawn) {
    const dla_convolution& conv = drawn.conv;
    drawn.ifmap.resize(size_t{conv.C} * conv.H * conv.W);
    drawn.filter.resize(size_t{conv.M} * (conv.C / conv.groups) * conv.window.kernel[0] * conv.window.kernel[1]);
    drawn.bias.resize(conv.M);
    std::generate(drawn.ifmap.begin(), drawn.ifmap.end(), [&] { return static_cast<uint8_t>(number(0, 255)); });
    std::generate(drawn.filter.begin(), drawn.filter.end(), [&] { return static_cast<int8_t>(number(0, 255)); });
    std::generate(drawn.bias.begin(), drawn.bias.end(), [&] { return static_cast<int32_t>(number(0, 4000)) - 2000; });
  }

 private:
  std::mt19937 random_;
};

/// Accumulator at row e and column f, before pooling, straight from the definition.
int32_t accumulator(const Case& c, uint32_t m, int64_t e, int64_t f) {
  const dla_convolution& conv = c.conv;
  const dla_window& w = conv.window;
  const uint32_t channels = conv.C / conv.groups;
  const uint32_t first = m / (conv.M / conv.groups) * channels;
  uint32_t acc = static_cast<uint32_t>(c.bias[m]);
  for (uint32_t ch = 0; ch < channels; ++ch) {
    for (uint32_t r = 0; r < w.kernel[0]; ++r) {
      for (uint32_t s = 0; s < w.kernel[1]; ++s) {
        const int64_t y = e * w.strides[0] + r * w.dilations[0] - w.pads[0];
        const int64_t x = f * w.strides[1] + s * w.dilations[1] - w.pads[1];
        if (y < 0 || y >= conv.H || x < 0 || x >= conv.W) {
          continue;
        }
        const int32_t value = c.ifmap[((first + ch) * conv.H + y) * conv.W + x] - conv.quant.ifmap_zero_point;
        const int16_t weight{c.filter[((size_t{m} * channels + ch) * w.kernel[0] + r) * w.kernel[1] + s]};
        acc += static_cast<uint32_t>(value * weight);
      }
    }
  }
  return static_cast<int32_t>(acc);
}

/// The largest accumulator under a window of the pool.
int32_t pooled(const Case& c, uint32_t m, int64_t e, int64_t f) {
  const dla_pooling& pool = c.conv.pooling;
  const int64_t size = pool.size == 0 ? 2 : pool.size, stride = pool.stride == 0 ? 2 : pool.stride;
  const int64_t rows = dla_window_positions(&c.conv.window, 0, c.conv.H);
  const int64_t cols = dla_window_positions(&c.conv.window, 1, c.conv.W);
  int32_t best = INT32_MIN;
  for (int64_t i = 0; i < size * size; ++i) {
    const int64_t row = e * stride + i / size - pool.pads[0], col = f * stride + i % size - pool.pads[1];
    const bool is_inside = row >= 0 && row < rows && col >= 0 && col < cols;
    best = is_inside ? std::max(best, accumulator(c, m, row, col)) : best;
  }
  return best;
}

std::vector<uint8_t> convolve_directly(const Case& c, uint32_t rows, uint32_t cols) {
  std::vector<uint8_t> ofmap;
  const dla_quant& q = c.conv.quant;
  for (uint32_t m = 0; m < c.conv.M; ++m) {
    for (uint32_t e = 0; e < rows; ++e) {
      for (uint32_t f = 0; f < cols; ++f) {
        int32_t acc = 0;
        if (c.conv.pool) {
          acc = pooled(c, m, e, f);
        } else {
          acc = accumulator(c, m, e, f);
        }
        const uint8_t free = c.scales.empty() ? dla_requantize(acc, q.shift, q.rounding, false, q.ofmap_zero_point)
                                              : dla_apply_scale(acc, c.scales[m % c.scales.size()], q.rounding, false,
                                                                q.ofmap_zero_point);
        ofmap.push_back(std::clamp<uint8_t>(free, q.lowest, static_cast<uint8_t>(255 - q.headroom)));
      }
    }
  }
  return ofmap;
}

/// In each way that there is for it.
void expect_same(const Case& c) {
  uint32_t rows = 0, cols = 0;
  dla_convolution_outputs(&c.conv, &rows, &cols);
  const std::vector<uint8_t> expected = convolve_directly(c, rows, cols);
  dla_convolution conv = c.conv;
  conv.scale = c.scales.empty() ? nullptr : c.scales.data();
  conv.scale_step = c.scales.size() > 1 ? 1 : 0;
  for (const dla_way way : {kDlaByBytes, kDlaByBands, kDlaByTiles}) {
    std::vector<uint8_t> ofmap(expected.size() + 1, 0xa5);
    if (!dla_convolve_by(way, &conv, c.ifmap.data(), c.filter.data(), c.bias.data(), ofmap.data())) {
      continue;
    }
    EXPECT_EQ(ofmap.back(), 0xa5) << "written beyond the ofmap";
    ofmap.pop_back();
    ASSERT_EQ(ofmap, expected) << "way " << way << ": C " << conv.C << " H " << conv.H << " W " << conv.W << " M "
                               << conv.M << " groups " << conv.groups;
  }
}

TEST(Convolve, EqualsALoopNestOnRandomLayers) {
  const char* given = std::getenv("SEED");
  const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::stoul(given)) : std::random_device{}();
  std::cout << "SEED=" << seed << " repeats this\n";
  Draw draw(seed);
  uint32_t ran = 0;
  while (ran < 500) {
    const Case c = draw.a_case();
    if (!dla_convolution_is_valid(&c.conv)) {
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(c)) << "SEED=" << seed << ", layer " << ran;
    ++ran;
  }
}

/// Layers larger than what is worked on at a time, and next to its limits.
struct Large {
  const char* name;
  uint32_t C, H, W, M, groups;
  dla_window window;
  bool pool;
  dla_pooling pooling = {};
};

class LargeLayers : public testing::TestWithParam<Large> {};

TEST_P(LargeLayers, EqualALoopNest) {
  const Large& layer = GetParam();
  Draw draw(1);
  Case c;
  c.conv = {
      .C = layer.C,
      .H = layer.H,
      .W = layer.W,
      .M = layer.M,
      .groups = layer.groups,
      .window = layer.window,
      .quant = {.shift = 9, .rounding = kDlaNearestEven, .lowest = 0, .ifmap_zero_point = 130, .ofmap_zero_point = 128},
      .pool = layer.pool,
      .pooling = layer.pooling};
  ASSERT_TRUE(dla_convolution_is_valid(&c.conv));
  draw.fill(c);
  expect_same(c);
}

constexpr dla_window kSame = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};

INSTANTIATE_TEST_SUITE_P(
    Convolve, LargeLayers,
    testing::Values(
        Large{"ChannelsInSlices", 150, 4, 4, 3, 1, kSame, false},
        Large{"WindowsLittleLongerThanASlice", 2, 20, 36, 5, 1, {{17, 34}, {1, 1}, {1, 1}, {0, 0, 1, 2}}, false},
        Large{"WindowsInSlices", 3, 40, 41, 6, 1, {{33, 40}, {2, 1}, {1, 1}, {2, 3, 2, 3}}, true},
        Large{"ManyFiltersOfAPixel", 1500, 1, 1, 300, 1, {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, false},
        Large{"ManyFiltersOfSeveralPixels", 67, 5, 7, 300, 1, kSame, false},
        Large{"APlaneInPieces", 3, 200, 190, 9, 1, {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, false},
        Large{"PooledInBands", 5, 90, 61, 20, 1, kSame, true},
        Large{"PooledWithOverlapAndPadding", 12, 30, 41, 70, 1, kSame, true, {3, 2, {1, 1, 1, 0}}},
        Large{"PooledAtEachPosition", 2, 20, 70, 300, 1, kSame, true, {2, 1, {0, 1, 1, 0}}},
        Large{"PooledRowsLongerThanABand", 1, 5, 2100, 9, 1, kSame, true},
        Large{"DepthwiseInBands", 3, 70, 50, 3, 3, kSame, false},
        Large{"DepthwisePooledInBands", 4, 61, 47, 8, 4, {{3, 2}, {1, 2}, {2, 1}, {0, 1, 2, 3}}, true},
        Large{"DepthwiseWithStridesInBands", 4, 97, 90, 4, 4, {{5, 3}, {2, 3}, {1, 2}, {1, 1, 1, 1}}, false},
        Large{"ChannelsOfAGroupInBands", 6, 60, 60, 6, 2, kSame, false},
        Large{"DepthwiseOfARowLongerThanABand", 2, 3, 9000, 2, 2, kSame, false},
        Large{"DepthwiseOfFarStrides",
              2,
              1,
              1,
              2,
              2,
              {{1, 1}, {1U << 31, 1U << 31}, {1, 1}, {0, 0, 1U << 31, 1U << 31}},
              false},
        Large{"FewTapsInBands", 5, 70, 60, 37, 1, kSame, false},
        Large{"RowsLongerThanABand", 3, 4, 700, 9, 1, {{3, 5}, {1, 2}, {2, 1}, {2, 2, 2, 2}}, false},
        Large{"APlaneAsOneRow", 70, 30, 31, 9, 1, {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, false},
        Large{"StridesInBands", 8, 61, 59, 40, 1, {{5, 4}, {2, 3}, {1, 1}, {1, 2, 3, 0}}, false},
        Large{"DilationsAndStridesInBands", 4, 40, 41, 16, 1, {{3, 3}, {2, 2}, {3, 2}, {3, 2, 3, 2}}, false},
        Large{"DepthwiseOfFarStridesAndTaps",
              2,
              1,
              1,
              2,
              2,
              {{2, 2}, {1U << 31, 1U << 31}, {1U << 30, 1U << 30}, {0, 0, 1U << 31, 1U << 31}},
              false},
        Large{"DepthwiseOfPaddingAlone", 2, 1, 1, 2, 2, {{1, 1}, {1, 1}, {1, 1}, {70, 80, 70, 80}}, false}),
    [](const auto& layer) { return std::string(layer.param.name); });

TEST(Convolve, GoesByBytesWhereTheProcessorMultipliesThem) {
#ifdef DLA_WORD_PRODUCTS
  const bool has_them = DLA_HAS_WORD_PRODUCTS();
#else
  const bool has_them = false;
#endif
  Draw draw(1);
  Case c;
  c.conv = {.C = 8, .H = 9, .W = 9, .M = 8, .groups = 1, .window = kSame, .quant = {}, .pool = false};
  draw.fill(c);
  std::vector<uint8_t> ofmap(c.ifmap.size());
  EXPECT_EQ(dla_convolve_by(kDlaByBytes, &c.conv, c.ifmap.data(), c.filter.data(), c.bias.data(), ofmap.data()),
            has_them);
}

TEST(Convolve, WrapsModulo32Bits) {
  Case c;
  c.conv = {.C = 1,
            .H = 1,
            .W = 1,
            .M = 2,
            .groups = 1,
            .window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
            .quant = {.shift = 31, .rounding = kDlaFloor, .lowest = 0, .ifmap_zero_point = 0, .ofmap_zero_point = 8},
            .pool = false};
  c.ifmap = {255};
  c.filter = {127, -128};
  c.bias = {INT32_MAX, INT32_MIN};
  uint8_t ofmap[2] = {};
  dla_convolve(&c.conv, c.ifmap.data(), c.filter.data(), c.bias.data(), ofmap);
  EXPECT_EQ(ofmap[0], 7) << "INT32_MAX + 32385 is negative";
  EXPECT_EQ(ofmap[1], 8) << "INT32_MIN - 32640 is positive";
}

TEST(Convolve, KnowsWhatMakesNoSense) {
  dla_convolution good{};
  good = {.C = 4,
          .H = 5,
          .W = 5,
          .M = 4,
          .groups = 2,
          .window = {{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
          .quant = {},
          .pool = true};
  ASSERT_TRUE(dla_convolution_is_valid(&good));
  const auto refuses = [&](auto change) {
    dla_convolution conv = good;
    change(conv);
    return !dla_convolution_is_valid(&conv);
  };
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.C = 0; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.M = 3; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.groups = 0; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.groups = 3; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.quant.shift = 32; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.quant.lowest = 200, c.quant.headroom = 56; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.window.strides[1] = 0; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.window.kernel[0] = 6; }));
  EXPECT_TRUE(refuses([](dla_convolution& c) { c.window.kernel[0] = 5; })) << "one row is none after pooling";
  // 9 * rows * columns is just below 2^32.
  good.window = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
  good.pool = false;
  good.H = 4;
  good.W = 119304647;
  EXPECT_TRUE(dla_convolution_is_valid(&good));
  EXPECT_TRUE(refuses([](dla_convolution& c) { ++c.W; }));
}

}  // namespace
