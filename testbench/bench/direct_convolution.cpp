// SPDX-License-Identifier: Apache-2.0
/// \file
/// A convolution layer as a direct loop nest: the answer that the device must give, bit for bit.
#include "direct_convolution.h"

#include <algorithm>
#include <cmath>

namespace fovea {

namespace {

/// bias[m] + sum of (x - zero point) * w over one window, modulo 2^32.
int32_t accumulate(const LayerCase& test, uint32_t m, uint32_t row, uint32_t col) {
  const dla_shape& s = test.layer.shape;
  const int zero_point = test.layer.quant.ifmap_zero_point;
  auto sum = static_cast<uint32_t>(test.bias[m]);
  const uint32_t group_channel = m / s.M * s.C;  // Of the filter's group.
  for (uint32_t c = 0; c < s.C; ++c) {
    for (uint32_t r = 0; r < s.R; ++r) {
      for (uint32_t k = 0; k < s.S; ++k) {
        const int64_t y = int64_t{row} * s.U + r - s.pad_top, x = int64_t{col} * s.V + k - s.pad_left;
        if (y < 0 || y >= s.H || x < 0 || x >= s.W) {
          continue;
        }
        const int pixel =
            test.ifmap[((size_t{group_channel} + c) * s.H + static_cast<size_t>(y)) * s.W + static_cast<size_t>(x)];
        const int weight = test.filter[((size_t{m} * s.C + c) * s.R + r) * s.S + k];
        sum += static_cast<uint32_t>((pixel - zero_point) * weight);
      }
    }
  }
  return static_cast<int32_t>(sum);
}

/// What an accumulator becomes before pooling. An int32 times a power of two is exact in double, and so is its
/// rounding. The product of two float32 is exact as well.
uint8_t finish(int32_t sum, const LayerCase& test, uint32_t m) {
  const dla_quant& quant = test.layer.quant;
  const float scale = test.layer.shape.filter_scales ? test.scale[m] : quant.scale;
  const double product = static_cast<double>(static_cast<float>(sum)) * static_cast<double>(scale);
  const double scaled = test.layer.shape.scaled ? static_cast<double>(static_cast<float>(product))
                                                : std::ldexp(sum, -static_cast<int>(quant.shift));
  const double rounded = quant.rounding == kDlaFloor ? std::floor(scaled) : std::nearbyint(scaled);
  const auto y =
      static_cast<uint8_t>(std::clamp<double>(rounded + quant.ofmap_zero_point, quant.lowest, 255 - quant.headroom));
  return test.layer.shape.lookup ? test.table.at(y) : y;
}

/// What is added to an output, if anything: products and sums in float32, each sum of a product rounded once.
uint8_t add_residual(const LayerCase& test, uint8_t y, uint8_t residual) {
  const dla_quant& quant = test.layer.quant;
  const float outer = quant.residual_first ? residual : y, inner = quant.residual_first ? y : residual;
  const float outer_scale = quant.residual_first ? quant.residual_scale : quant.conv_scale;
  const float inner_scale = quant.residual_first ? quant.conv_scale : quant.residual_scale;
  const double sum = std::fma(outer, outer_scale, std::fma(inner, inner_scale, quant.sum_offset));
  const double rounded = quant.rounding == kDlaFloor ? std::floor(sum) : std::nearbyint(sum);
  return static_cast<uint8_t>(std::clamp<double>(rounded, quant.sum_lowest, 255 - quant.sum_headroom));
}

/// The mean of a filter's outputs: their sum less their zero points, times a scale, each rounded to float32.
uint8_t mean_of(const std::vector<uint8_t>& outputs, const dla_quant& quant) {
  int64_t sum = 0;
  for (const uint8_t y : outputs) {
    sum += y - quant.ofmap_zero_point;
  }
  const auto mean = static_cast<float>(static_cast<double>(static_cast<float>(sum)) * quant.conv_scale);
  const double rounded = quant.rounding == kDlaFloor ? std::floor(mean) : std::nearbyint(mean);
  return static_cast<uint8_t>(
      std::clamp<double>(rounded + quant.mean_zero_point, quant.sum_lowest, 255 - quant.sum_headroom));
}

uint32_t unpooled_rows(const dla_shape& s) { return (s.pad_top + s.H + s.pad_bottom - s.R) / s.U + 1; }
uint32_t unpooled_cols(const dla_shape& s) { return (s.pad_left + s.W + s.pad_right - s.S) / s.V + 1; }

/// A pool along one axis: its window, the first row or column that is no padding, and the one behind the last.
struct Window {
  uint32_t size, stride, first, end;

  uint32_t count(uint32_t outputs) const {
    uint32_t windows = 0;
    for (; windows * stride + size <= outputs; ++windows) {
    }
    return windows;
  }
};

Window pooled(const dla_shape& s, uint32_t before, uint32_t behind, uint32_t outputs) {
  const uint32_t size = s.pool_size == 0 ? 2 : s.pool_size, stride = s.pool_stride == 0 ? 2 : s.pool_stride;
  return s.pool ? Window{size, stride, before, outputs - behind} : Window{1, 1, 0, outputs};
}

uint8_t output(const LayerCase& test, uint32_t m, uint32_t row, uint32_t col) {
  if (!test.layer.shape.pool) {
    return finish(accumulate(test, m, row, col), test, m);
  }
  // Of the window, what is no padding.
  const dla_shape& s = test.layer.shape;
  const Window rows = pooled(s, s.pool_top, s.pool_bottom, unpooled_rows(s));
  const Window cols = pooled(s, s.pool_left, s.pool_right, unpooled_cols(s));
  uint8_t best = 0;
  for (uint32_t i = row * rows.stride; i < row * rows.stride + rows.size; ++i) {
    for (uint32_t k = col * cols.stride; k < col * cols.stride + cols.size; ++k) {
      const bool is_padding = i < rows.first || i >= rows.end || k < cols.first || k >= cols.end;
      best = is_padding ? best : std::max(best, finish(accumulate(test, m, i, k), test, m));
    }
  }
  return best;
}

}  // namespace

std::vector<uint8_t> convolve_directly(const LayerCase& test) {
  const dla_shape& s = test.layer.shape;
  const uint32_t rows = pooled(s, s.pool_top, s.pool_bottom, unpooled_rows(s)).count(unpooled_rows(s));
  const uint32_t cols = pooled(s, s.pool_left, s.pool_right, unpooled_cols(s)).count(unpooled_cols(s));
  std::vector<uint8_t> ofmap;
  for (uint32_t m = 0; m < dla_groups(&s) * s.M; ++m) {
    std::vector<uint8_t> outputs;
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t col = 0; col < cols; ++col) {
        const uint8_t y = output(test, m, row, col);
        const size_t place = ofmap.size() + outputs.size();
        outputs.push_back(s.residual ? add_residual(test, y, test.residual.at(place)) : y);
      }
    }
    if (s.mean) {
      outputs = {mean_of(outputs, test.layer.quant)};
    }
    ofmap.insert(ofmap.end(), outputs.begin(), outputs.end());
  }
  return ofmap;
}

}  // namespace fovea
