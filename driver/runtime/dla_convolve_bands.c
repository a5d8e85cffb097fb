// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution band by band. Sums of 512 products of an unsigned and a signed byte are less than 2^24, so
/// float32 holds them exactly: its multiplications are those that all processors have in vectors.
#include "dla_convolve_job.h"

typedef uint8_t dla_x;
typedef int8_t dla_weight;
typedef float dla_sum;
typedef int32_t dla_total;
typedef uint8_t dla_y;

/// Modulo 2^32.
static inline dla_total add_sum(dla_total total, dla_sum sum) {
  return (int32_t)((uint32_t)total + (uint32_t)(int32_t)sum);
}

enum { kStep = 4 * DLA_VECTOR };  ///< Totals at a time.

/// Requantizes `count` totals, a constant, which have no bias yet.
static inline __attribute__((always_inline)) void finish_block(const struct dla_job* job, uint32_t m, uint32_t count,
                                                               const int32_t* restrict totals, uint8_t* restrict y) {
  const uint32_t bias = (uint32_t)job->bias[m];
  int32_t biased[kStep];
  DLA_VECTOR_LOOP
  for (uint32_t k = 0; k < count; ++k) {
    biased[k] = (int32_t)((uint32_t)totals[k] + bias);
  }
  dla_requantize_all(job->conv, m, count, biased, y);
}

/// Requantizes totals. The last of them are a block too, whose rest is not kept: without vectors they would take longer
/// than all others.
DLA_WIDEST_VECTORS static void finish(const void* context, uint32_t m, uint32_t first, uint32_t count,
                                      const int32_t* restrict totals, uint8_t* restrict y) {
  (void)first;
  uint32_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    finish_block(context, m, kStep, totals + i, y + i);
  }
  for (; i < count; i += DLA_VECTOR) {
    uint8_t last[DLA_VECTOR];
    finish_block(context, m, DLA_VECTOR, totals + i, last);
    const uint32_t rest = count - i < DLA_VECTOR ? count - i : DLA_VECTOR;
    for (uint32_t k = 0; k < rest; ++k) {
      y[i + k] = last[k];
    }
  }
}

static inline bool finishes_rows(const void* context) {
  (void)context;
  return false;
}

#include "dla_bands.h"
#include "dla_depthwise.h"

bool dla_convolve_bands(const struct dla_job* job) {
  struct band_job bands = {.conv = job->conv,
                           .x = job->ifmap,
                           .zero_point = job->conv->quant.ifmap_zero_point,
                           .filter = job->filter,
                           .y = job->ofmap,
                           .context = job};
  return !job->conv->pool && (convolve_depthwise(&bands) || convolve_bands(&bands));
}
