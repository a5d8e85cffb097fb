// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution: which way it takes.
#include "dla_convolve.h"

#include "dla_convolve_job.h"

enum {
#ifdef __SSE2__
  kFewTaps = 256,  ///< Of a filter: up to so many, bands are faster.
#else
  kFewTaps = 0,  // Measured on x86-64 alone; and without vectors, products of integers cost no more than float32's.
#endif
  kFewFilters = 3,  ///< Of a group.
};

/// Whether bands are faster than tiles: tiles gather each window, which few filters or taps are not worth. A window
/// that is alone is gathered once.
static bool is_for_bands(const struct dla_job* job) {
  return job->rows * job->cols > 1 && (job->filters <= kFewFilters || job->taps <= kFewTaps);
}

static struct dla_job describe(const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter,
                               const int32_t* bias, uint8_t* ofmap) {
  struct dla_job job = {.conv = conv, .ifmap = ifmap, .filter = filter, .bias = bias, .ofmap = ofmap};
  dla_convolution_outputs(conv, &job.rows, &job.cols);
  job.unpooled_rows = dla_window_positions(&conv->window, 0, conv->H);
  job.unpooled_cols = dla_window_positions(&conv->window, 1, conv->W);
  job.channels = conv->C / conv->groups;
  job.filters = conv->M / conv->groups;
  job.window = conv->window.kernel[0] * conv->window.kernel[1];
  job.taps = job.channels * job.window;
  return job;
}

bool dla_convolve_by(enum dla_way way, const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter,
                     const int32_t* bias, uint8_t* ofmap) {
  const struct dla_job job = describe(conv, ifmap, filter, bias, ofmap);
  if (way == kDlaByTiles) {
    dla_convolve_tiles(&job);
    return true;
  }
  return way == kDlaByBytes ? dla_convolve_bytes(&job) : dla_convolve_bands(&job);
}

void dla_convolve(const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter, const int32_t* bias,
                  uint8_t* ofmap) {
  const struct dla_job job = describe(conv, ifmap, filter, bias, ofmap);
  if (!dla_convolve_bytes(&job) && (!is_for_bands(&job) || !dla_convolve_bands(&job))) {
    dla_convolve_tiles(&job);
  }
}
