// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slices against the layer that they are cut from, tap by tap: each reads the rows, and the padding, that it reads.
#include "dla_slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

constexpr int kPadding = -1;      ///< Of the ifmap: zero points.
constexpr int kPoolPadding = -2;  ///< Of what is pooled: never the greatest.

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned between(unsigned least, unsigned most) {
    return std::uniform_int_distribution<unsigned>(least, most)(engine_);
  }

 private:
  std::mt19937 engine_;
};

/// A shape with windows over rows, of which none is wholly padding.
dla_shape draw_shape(Random& random) {
  for (;;) {
    dla_shape s{};
    s.C = s.M = s.W = s.S = s.V = 1;
    s.H = random.between(4, 40);
    s.R = random.between(1, 7);
    s.U = random.between(1, 3);
    s.pool = random.between(0, 1) == 1;
    if (s.pool) {
      s.W = 3;
      s.pool_size = random.between(2, 3);
      s.pool_stride = random.between(1, 3);
      s.pool_top = random.between(0, 1);
      s.pool_bottom = random.between(0, 1);
    }
    s.pad_top = random.between(0, s.R / 2) + s.pool_top * s.U;
    s.pad_bottom = random.between(0, s.R / 2) + s.pool_bottom * s.U;
    s.residual = !s.pool && random.between(0, 1) == 1;
    if (dla_padded_rows(&s) >= s.R && dla_unpooled_rows(&s) >= dla_pool_size(&s)) {
      return s;
    }
  }
}

/// What the outputs of a row are made of: rows of the ifmap, or padding.
std::vector<int> taps_of(const dla_shape& s, unsigned row) {
  std::vector<int> taps;
  for (unsigned i = 0; i < dla_pool_size(&s); ++i) {
    const unsigned unpooled = row * dla_pool_stride(&s) + i;
    const bool is_padding = unpooled < s.pool_top || unpooled >= dla_unpooled_rows(&s) - s.pool_bottom;
    for (unsigned r = 0; r < s.R; ++r) {
      const int at = static_cast<int>(unpooled * s.U + r) - static_cast<int>(s.pad_top);
      taps.push_back(is_padding ? kPoolPadding : at < 0 || at >= static_cast<int>(s.H) ? kPadding : at);
    }
  }
  return taps;
}

TEST(Slice, ReadsTheRowsThatItsLayerReads) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const dla_shape shape = draw_shape(random);
    const unsigned rows = dla_pooled(&shape, dla_unpooled_rows(&shape));
    const unsigned first = random.between(0, rows - 1), count = random.between(1, rows - first);
    const dla_read_rows ifmap = dla_rows_read(&shape, first, count);
    if (ifmap.rows == 0) {
      continue;  // Of padding alone.
    }
    const dla_shape slice = dla_slice_shape(&shape, first, count);
    ASSERT_EQ(slice.H, ifmap.rows);
    ASSERT_EQ(dla_pooled(&slice, dla_unpooled_rows(&slice)), count);
    for (unsigned row = 0; row < count; ++row) {
      std::vector<int> taps = taps_of(slice, row);
      std::ranges::transform(taps, taps.begin(),
                             [&](int at) { return at < 0 ? at : at + static_cast<int>(ifmap.first); });
      ASSERT_EQ(taps, taps_of(shape, first + row)) << "case " << i << ", row " << row;
    }
  }
}

/// In DRAM the address moves, on chip the row of the plane does; there it goes round.
TEST(Slice, BeginsWhereItsRowsLie) {
  dla_layer layer{};
  layer.shape = {.C = 3, .H = 20, .W = 10, .M = 2, .R = 3, .S = 3, .U = 1, .V = 1};
  layer.shape.pad_top = layer.shape.pad_bottom = 1;
  layer.shape.residual = true;
  layer.shape.ofmap_on_chip = true;
  layer.shape.ofmap_plane_rows = 6;
  layer.mapping.e = layer.mapping.e_glb = 8;
  layer.ifmap_addr = 1000;
  layer.ofmap_addr = 64;
  layer.residual_addr = 5000;
  const dla_layer slice = dla_slice_of(&layer, 7, 4);
  EXPECT_EQ(slice.ifmap_addr, 1060u);  // Row 6 is the first that row 7 of the ofmap needs.
  EXPECT_EQ(slice.shape.H, 6u);
  EXPECT_EQ(slice.shape.ifmap_plane_rows, 20u);
  EXPECT_EQ(slice.ofmap_addr, 64u);
  EXPECT_EQ(slice.shape.ofmap_first_row, 1u);
  EXPECT_EQ(slice.shape.ofmap_plane_rows, 6u);
  EXPECT_EQ(slice.residual_addr, 5000u + 7 * 8);
  EXPECT_EQ(slice.shape.residual_plane_rows, 20u);
  EXPECT_EQ(slice.mapping.e_glb, 4u);
  EXPECT_EQ(slice.mapping.e, 4u);
}

/// The slice of row 0 brings the filters that stay.
TEST(Slice, FindsFiltersOnChipBehindTheFirst) {
  dla_layer layer{};
  layer.shape = {.C = 3, .H = 20, .W = 10, .M = 2, .R = 1, .S = 1, .U = 1, .V = 1};
  EXPECT_FALSE(dla_slice_of(&layer, 4, 4).shape.filters_on_chip);
  layer.shape.filters_on_chip = true;
  EXPECT_FALSE(dla_slice_of(&layer, 0, 4).shape.filters_on_chip);
  EXPECT_TRUE(dla_slice_of(&layer, 4, 4).shape.filters_on_chip);
}

}  // namespace
