// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the vector loops the arithmetic of dla_arith.h, bit for bit?
#include "row_arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "spec/dla_output.h"

namespace fovea {
namespace {

TEST(RowArithmetic, ProductsWrapAsTheAccumulatorsDo) {
  std::mt19937 source(3);
  for (const size_t pixels : {kVectorPixels, 3 * kVectorPixels}) {
    constexpr size_t kDepth = 37, kFilters = 5;
    std::vector<int16_t> window(kDepth * pixels), weights(kFilters * kDepth);
    std::vector<int32_t> psums(kFilters * pixels);
    for (int16_t& x : window) {
      x = static_cast<int16_t>(static_cast<int>(source() % 511) - 255);
    }
    for (int16_t& w : weights) {
      w = static_cast<int16_t>(static_cast<int>(source() % 256) - 128);
    }
    for (int32_t& psum : psums) {
      psum = static_cast<int32_t>(source());  // Some near the ends of int32.
    }
    std::vector<int32_t> expected = psums;
    for (size_t filter = 0; filter < kFilters; ++filter) {
      for (size_t k = 0; k < kDepth; ++k) {
        for (size_t i = 0; i < pixels; ++i) {
          int32_t& psum = expected[filter * pixels + i];
          psum = dla_wrap_add(psum, window[k * pixels + i] * weights[filter * kDepth + k]);
        }
      }
    }
    multiply_accumulate({window.data(), weights.data(), psums.data(), kDepth, pixels, kFilters});
    EXPECT_EQ(psums, expected);
  }
}

TEST(RowArithmetic, ShiftsEachPsum) {
  std::mt19937 source(4);
  std::vector<int32_t> psums(1000);
  std::vector<uint8_t> activations(psums.size());
  for (uint32_t shift = 0; shift < 32; ++shift) {
    for (const dla_rounding rounding : {kDlaNearestEven, kDlaFloor}) {
      const dla_quant quant = {shift, rounding, 100, 128, static_cast<uint8_t>(source()), 20, 0};
      for (int32_t& psum : psums) {
        psum = static_cast<int32_t>(source()) >> source() % 32;
      }
      shift_row(quant, psums.data(), psums.size(), activations.data());
      for (size_t i = 0; i < psums.size(); ++i) {
        const uint8_t free = dla_requantize(psums[i], shift, rounding, false, quant.ofmap_zero_point);
        ASSERT_EQ(activations[i], std::clamp<uint8_t>(free, 100, 235));
      }
    }
  }
}

TEST(RowArithmetic, ScalesEachPsum) {
  std::mt19937 source(5);
  std::vector<int32_t> psums(1000);
  std::vector<uint8_t> activations(psums.size());
  for (int power = -40; power < 10; ++power) {
    for (const dla_rounding rounding : {kDlaNearestEven, kDlaFloor}) {
      const dla_quant quant = {0, rounding, 20, 128, static_cast<uint8_t>(source()), 10, 0};
      const float scale = std::ldexp(1 + static_cast<float>(source() % 4096) / 4096, power);
      for (int32_t& psum : psums) {
        psum = static_cast<int32_t>(source()) >> source() % 32;
      }
      scale_row(quant, scale, psums.data(), psums.size(), activations.data());
      for (size_t i = 0; i < psums.size(); ++i) {
        const uint8_t free = dla_apply_scale(psums[i], scale, rounding, false, quant.ofmap_zero_point);
        ASSERT_EQ(activations[i], std::clamp<uint8_t>(free, 20, 245));
      }
    }
  }
}

TEST(RowArithmetic, PoolsTwoByTwo) {
  const uint8_t rows[] = {1, 9, 4, 4, 7, 3, 2, 8, 0, 255};
  uint8_t pooled[3] = {0, 0, 77};
  dla_shape shape{};
  shape.pool = true;
  pool_rows(shape, rows, 5, 2, pooled);
  EXPECT_EQ(pooled[0], 9);
  EXPECT_EQ(pooled[1], 8);
  EXPECT_EQ(pooled[2], 77);
}

TEST(RowArithmetic, PoolsWindowsThatOverlap) {
  const uint8_t rows[] = {1, 2, 3, 4, 5, 6, 7, 30, 9, 10, 11, 12, 13, 14, 15, 99};
  uint8_t pooled[3] = {0, 0, 77};
  dla_shape shape{};
  shape.pool = true;
  shape.pool_size = 3;
  pool_rows(shape, rows, 5, 2, pooled);
  EXPECT_EQ(pooled[0], 30);
  EXPECT_EQ(pooled[1], 30);
  EXPECT_EQ(pooled[2], 77);
}

}  // namespace
}  // namespace fovea
