// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the two ways to convolve share: a call's operands, and the way of accumulators into the ofmap. Internal to
/// dla_convolve.
#ifndef FOVEA_DRIVER_RUNTIME_DLA_CONVOLVE_JOB_H_
#define FOVEA_DRIVER_RUNTIME_DLA_CONVOLVE_JOB_H_

#include "dla_convolve.h"
#include "spec/dla_requant.h"

/// Before a function whose loops deserve the processor's widest vectors: compiled for several, and chosen when the
/// program starts. Integers are the same in all. Bare metal and sanitizers have what the compiler is told.
#if defined(__x86_64__) && defined(__gnu_linux__) && __STDC_HOSTED__ && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define DLA_WIDEST_VECTORS __attribute__((target_clones("default", "avx2")))
#else
#define DLA_WIDEST_VECTORS
#endif

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

/// Stores `count` pooled accumulators of filter `m` from output `first` on.
static inline void dla_store(const struct dla_job* job, uint32_t m, uint32_t first, uint32_t count,
                             const int32_t* values) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_quant q = conv->quant;
  uint8_t* out = job->ofmap + (size_t)m * job->rows * job->cols + first;
  if (conv->scale == NULL) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t free = dla_requantize(values[i], q.shift, q.rounding, false, q.ofmap_zero_point);
      out[i] = dla_bound_u8(free, q.lowest, q.headroom);
    }
    return;
  }
  const float scale = conv->scale[(size_t)m * conv->scale_step];
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t free = dla_apply_scale(values[i], scale, kDlaNearestEven, false, q.ofmap_zero_point);
    out[i] = dla_bound_u8(free, q.lowest, q.headroom);
  }
}

/// Convolves where groups have so few filters that a window is worth no gathering: depthwise layers.
/// \return false, having done nothing, where the layer is no such one, or a row is too long.
bool dla_convolve_depthwise(const struct dla_job* job);

#endif  // FOVEA_DRIVER_RUNTIME_DLA_CONVOLVE_JOB_H_
