// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the host's convolution computes, and the numbers that follow from it. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The window of a fully connected layer: a convolution of one pixel, with C inputs and M outputs.
#define DLA_ONE_PIXEL ((struct dla_window){.kernel = {1, 1}, .strides = {1, 1}, .dilations = {1, 1}})

/// Rows and columns of a pool's window, and its stride.
static inline uint32_t dla_pooling_size(const struct dla_pooling* pool) { return pool->size == 0 ? 2 : pool->size; }
static inline uint32_t dla_pooling_stride(const struct dla_pooling* pool) {
  return pool->stride == 0 ? 2 : pool->stride;
}

/// What to compute: ifmap [C, H, W] uint8, filter [M, C / groups, R, S] int8, bias [M] int32.
struct dla_convolution {
  uint32_t C, H, W, M, groups;
  struct dla_window window;
  struct dla_quant quant;
  bool pool;  ///< Rows and columns behind the last whole window are dropped.
  /// Requantizes by dla_apply_scale() instead of quant.shift where it is not NULL: filter m by scale[m * scale_step].
  /// The rest of `quant` holds in both.
  const float* scale;
  uint32_t scale_step;         ///< 1, or 0 where all filters have one scale.
  struct dla_pooling pooling;  ///< Where `pool`.
};

/// Whether the numbers make sense: nothing zero, groups divide C and M, shift at most 31, lowest at most 255 -
/// headroom, at least one output.
bool dla_convolution_is_valid(const struct dla_convolution* conv);

/// Rows and columns of the ofmap, [M, rows, cols] uint8, after pooling. \pre dla_convolution_is_valid(conv).
void dla_convolution_outputs(const struct dla_convolution* conv, uint32_t* rows, uint32_t* cols);

/// Whether kernel, strides and dilations are at least 1.
bool dla_window_is_valid(const struct dla_window* window);

/// Positions of a window along one axis: floor((in + pads - dilation * (kernel - 1) - 1) / stride) + 1, or 0.
uint32_t dla_window_positions(const struct dla_window* window, uint32_t axis, uint32_t in);

#ifdef __cplusplus
}
#endif
