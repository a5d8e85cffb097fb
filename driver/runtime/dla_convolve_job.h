// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the ways to convolve share: a call's operands, and the way of accumulators into the ofmap. Internal to
/// dla_convolve.
#pragma once

#include "dla_convolution.h"
#include "dla_widest_vectors.h"
#include "spec/dla_requant.h"

/// A call's operands and what is derived from them once.
struct dla_job {
  const struct dla_convolution* conv;
  const uint8_t* ifmap;
  const int8_t* filter;
  const int32_t* bias;
  uint8_t* ofmap;
  uint32_t rows, cols;  ///< Of the ofmap.
  uint32_t unpooled_rows, unpooled_cols;
  uint32_t channels;  ///< Of a group.
  uint32_t filters;   ///< Of a group.
  uint32_t window;    ///< R * S.
  uint32_t taps;      ///< channels * window.
};

/// Requantizes `count` accumulators of filter `m`.
static inline void dla_requantize_all(const struct dla_convolution* conv, uint32_t m, uint32_t count,
                                      const int32_t* restrict values, uint8_t* restrict out) {
  const struct dla_quant q = conv->quant;
  if (conv->scale == NULL) {
    DLA_VECTOR_LOOP
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t free = dla_requantize(values[i], q.shift, q.rounding, false, q.ofmap_zero_point);
      out[i] = dla_bound_u8(free, q.lowest, q.headroom);
    }
    return;
  }
  const float scale = conv->scale[(size_t)m * conv->scale_step];
  if (q.rounding == kDlaFloor) {
    DLA_VECTOR_LOOP
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t free = dla_apply_scale(values[i], scale, kDlaFloor, false, q.ofmap_zero_point);
      out[i] = dla_bound_u8(free, q.lowest, q.headroom);
    }
    return;
  }
  DLA_VECTOR_LOOP
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t free = dla_apply_scale(values[i], scale, kDlaNearestEven, false, q.ofmap_zero_point);
    out[i] = dla_bound_u8(free, q.lowest, q.headroom);
  }
}

/// Convolves band by band, where no pool follows and a window is not too large for a band.
/// \return false, having done nothing, where it is.
bool dla_convolve_bands(const struct dla_job* job);

/// Convolves tile by tile, whatever it is.
void dla_convolve_tiles(const struct dla_job* job);

/// Convolves by products of bytes, where the processor has them, there are several outputs and a window fits.
/// \return false, having done nothing, where not.
bool dla_convolve_bytes(const struct dla_job* job);
