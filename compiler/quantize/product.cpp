// SPDX-License-Identifier: Apache-2.0
/// \file
/// One blocked matrix product, onto which windows are unrolled a few panels at a time.
#include "product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ops/operator.h"
#include "wide_vectors.h"

namespace fovea {
namespace {

constexpr std::size_t kPanel = 8;  ///< Columns that are computed together.
constexpr int64_t kPanels = 16;    ///< Panels that are unrolled together: what fits the cache.
constexpr int64_t kRowsTogether = 8;
constexpr int64_t kFewFilters = 3;  ///< Of a group: fewer than are worth unrolling for.

/// sums[i][j] = sum over k of a[i * depth + k] * panel[k * kPanel + j].
template <std::size_t rows>
[[gnu::always_inline]] inline void multiply_panel(const float* a, const float* panel, int64_t depth,
                                                  float (&sums)[kRowsTogether][kPanel]) {
  std::array<Eight, rows> all{};
  for (int64_t k = 0; k < depth; ++k, panel += kPanel) {
    Eight right;
    std::memcpy(&right, panel, sizeof right);
#pragma GCC unroll 8  // So that the sums are in registers.
    for (std::size_t i = 0; i < rows; ++i) {
      all[i] += a[static_cast<int64_t>(i) * depth + k] * right;
    }
  }
  std::memcpy(&sums[0][0], all.data(), sizeof all);
}

}  // namespace

FOVEA_WIDE_VECTORS
static void multiply_panels(const float* a, int64_t rows, const float* panels, int64_t depth, int64_t columns, float* c,
                            int64_t c_stride) {
  float sums[kRowsTogether][kPanel];
  for (int64_t row = 0, here = 0; row < rows; row += here) {
    here = rows - row >= kRowsTogether ? kRowsTogether : std::min<int64_t>(rows - row, 4);
    for (int64_t column = 0; column < columns; column += kPanel) {
      const float *left = a + row * depth, *panel = panels + column * depth;
      here == 8   ? multiply_panel<8>(left, panel, depth, sums)
      : here == 4 ? multiply_panel<4>(left, panel, depth, sums)
      : here == 3 ? multiply_panel<3>(left, panel, depth, sums)
      : here == 2 ? multiply_panel<2>(left, panel, depth, sums)
                  : multiply_panel<1>(left, panel, depth, sums);
      const int64_t valid = std::min<int64_t>(kPanel, columns - column);
      for (int64_t i = 0; i < here; ++i) {
        std::copy_n(sums[i], valid, c + (row + i) * c_stride + column);
      }
    }
  }
}

void multiply_matrices(const float* a, const float* b, int64_t rows, int64_t depth, int64_t columns, float* c) {
  constexpr auto kWidth = static_cast<int64_t>(kPanel);
  std::vector<float> panels(static_cast<std::size_t>((columns + kWidth - 1) / kWidth * kWidth * depth));
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t place = (column / kWidth * depth + k) * kWidth + column % kWidth;
      panels[static_cast<std::size_t>(place)] = b[k * columns + column];
    }
  }
  multiply_panels(a, rows, panels.data(), depth, columns, c, columns);
}

PackedProduct::PackedProduct(const Node& call, const TensorType& input, const TensorType& weight,
                             std::span<const float> weights)
    : is_dense_(is_call(call, "nn.dense")), batch_(input.shape[0]) {
  if (is_dense_) {
    filters_ = weight.shape[0];
    depth_ = weight.shape[1];
    const int64_t panels = (filters_ + static_cast<int64_t>(kPanel) - 1) / static_cast<int64_t>(kPanel);
    weights_.resize(static_cast<std::size_t>(panels * depth_) * kPanel);
    for (int64_t m = 0; m < filters_; ++m) {
      for (int64_t k = 0; k < depth_; ++k) {
        const int64_t panel = m / static_cast<int64_t>(kPanel), lane = m % static_cast<int64_t>(kPanel);
        weights_[static_cast<std::size_t>((panel * depth_ + k) * static_cast<int64_t>(kPanel) + lane)] =
            weights[static_cast<std::size_t>(m * depth_ + k)];
      }
    }
    return;
  }
  groups_ = int_attribute(call, "groups", 1);
  channels_ = weight.shape[1];
  filters_ = weight.shape[0] / groups_;
  rows_ = input.shape[2];
  columns_ = input.shape[3];
  out_rows_ = call.type.shape[2];
  out_columns_ = call.type.shape[3];
  window_ = read_window(call, {weight.shape[2], weight.shape[3]});
  depth_ = channels_ * window_.kernel[0] * window_.kernel[1];
  weights_.assign(weights.begin(), weights.end());
}

/// Unrolls what is under the windows of kPanel outputs from `first` on, tap by tap.
void PackedProduct::pack(const float* x, int64_t first, float* packed) const {
  std::array<int64_t, kPanel> top{}, left{};
  const int64_t count = out_rows_ * out_columns_;
  for (std::size_t lane = 0; lane < kPanel; ++lane) {
    const int64_t place = first + static_cast<int64_t>(lane);
    top[lane] = place < count ? place / out_columns_ * window_.strides[0] - window_.pads[0] : -(int64_t{1} << 40);
    left[lane] = place % out_columns_ * window_.strides[1] - window_.pads[1];
  }
  const bool is_run = top[0] == top[kPanel - 1] && window_.strides[1] == 1;
  const int64_t plane = rows_ * columns_, taps = window_.kernel[0] * window_.kernel[1];
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t down = tap / window_.kernel[1] * window_.dilations[0];
    const int64_t right = tap % window_.kernel[1] * window_.dilations[1];
    float* to = packed + tap * static_cast<int64_t>(kPanel);
    const int64_t step = taps * static_cast<int64_t>(kPanel);
    if (is_run && top[0] + down >= 0 && top[0] + down < rows_ && left[0] + right >= 0 &&
        left[kPanel - 1] + right < columns_) {
      const float* from = x + (top[0] + down) * columns_ + left[0] + right;
      for (int64_t c = 0; c < channels_; ++c) {
        std::copy_n(from + c * plane, kPanel, to + c * step);
      }
      continue;
    }
    std::array<const float*, kPanel> from{};  // Null where there is padding.
    for (std::size_t lane = 0; lane < kPanel; ++lane) {
      const int64_t row = top[lane] + down, column = left[lane] + right;
      const bool is_inside = row >= 0 && row < rows_ && column >= 0 && column < columns_;
      from[lane] = is_inside ? x + row * columns_ + column : nullptr;
    }
    for (int64_t c = 0; c < channels_; ++c) {
      for (std::size_t lane = 0; lane < kPanel; ++lane) {
        to[c * step + static_cast<int64_t>(lane)] = from[lane] != nullptr ? from[lane][c * plane] : 0;
      }
    }
  }
}

void PackedProduct::run_group(const float* x, int64_t group, float* y) const {
  const int64_t outputs = out_rows_ * out_columns_, together = kPanels * static_cast<int64_t>(kPanel);
  std::vector<float> panels(
      static_cast<std::size_t>(std::min(together, outputs + static_cast<int64_t>(kPanel)) * depth_));
  for (int64_t first = 0; first < outputs; first += together) {
    const int64_t count = std::min(together, outputs - first);
    for (int64_t column = 0; column < count; column += kPanel) {
      pack(x, first + column, panels.data() + column * depth_);
    }
    multiply_panels(weights_.data() + group * filters_ * depth_, filters_, panels.data(), depth_, count, y + first,
                    outputs);
  }
}

/// Row by row and tap by tap: for depthwise convolutions.
void PackedProduct::run_channelwise(const float* x, int64_t group, float* y) const {
  const float* weight = weights_.data() + group * filters_ * depth_;
  std::fill_n(y, filters_ * out_rows_ * out_columns_, 0.0F);
  for (int64_t m = 0; m < filters_; ++m) {
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t r = 0; r < window_.kernel[0]; ++r) {
        for (int64_t s = 0; s < window_.kernel[1]; ++s, ++weight) {
          const int64_t shift = s * window_.dilations[1] - window_.pads[1], stride = window_.strides[1];
          // Outputs whose tap is inside: 0 <= f * stride + shift < columns_.
          const int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
          const int64_t end = std::min(out_columns_, columns_ <= shift ? 0 : (columns_ - shift - 1) / stride + 1);
          for (int64_t e = 0; e < out_rows_; ++e) {
            const int64_t row = e * window_.strides[0] + r * window_.dilations[0] - window_.pads[0];
            if (row < 0 || row >= rows_) {
              continue;
            }
            const float* from = x + (c * rows_ + row) * columns_ + shift;
            float* to = y + (m * out_rows_ + e) * out_columns_;
            for (int64_t f = begin; f < end; ++f) {
              to[f] += *weight * from[f * stride];
            }
          }
        }
      }
    }
  }
}

void PackedProduct::run(std::span<const float> x, std::span<float> y) const {
  if (is_dense_) {
    multiply_panels(x.data(), batch_, weights_.data(), depth_, filters_, y.data(), filters_);
    return;
  }
  for (int64_t n = 0; n < batch_; ++n) {
    for (int64_t group = 0; group < groups_; ++group) {
      const float* in = x.data() + (n * groups_ + group) * channels_ * rows_ * columns_;
      float* out = y.data() + (n * groups_ + group) * filters_ * out_rows_ * out_columns_;
      filters_ <= kFewFilters ? run_channelwise(in, group, out) : run_group(in, group, out);
    }
  }
}

}  // namespace fovea
