// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution: a tile of output pixels gathers its windows as rows of int16, then every filter is a dot
/// product with each row. Padding, strides, dilations and groups concern the gathering alone.
#include "dla_convolve.h"

#include "spec/dla_requant.h"

enum {
  kPixels = 16,    ///< Output pixels a tile: with pooling, four outputs of four.
  kTaps = 1024,    ///< Taps gathered at a time: a longer window takes several rounds.
  kFilters = 128,  ///< Filters that share what was gathered.
};

/// Working memory: 32 KiB of patches stay in the first-level cache while all filters read them.
struct tile {
  int16_t patch[kPixels][kTaps];
  int16_t weights[kTaps];
  uint32_t acc[kFilters][kPixels];
  uint32_t first, pixels;  ///< Which output pixels.
};

/// A call's operands and what is derived from them once.
struct job {
  const struct dla_convolution* conv;
  const uint8_t* ifmap;
  const int8_t* filter;
  const int32_t* bias;
  uint8_t* ofmap;
  uint32_t rows, cols;  ///< Of the ofmap.
  uint32_t taps;        ///< C / groups * R * S.
};

uint32_t dla_window_positions(const struct dla_window* window, uint32_t axis, uint32_t in) {
  const uint64_t padded = (uint64_t)in + window->pads[axis] + window->pads[axis + 2];
  const uint64_t reach = (uint64_t)window->dilations[axis] * (window->kernel[axis] - 1) + 1;
  return padded < reach ? 0 : (uint32_t)((padded - reach) / window->strides[axis]) + 1;
}

void dla_convolution_outputs(const struct dla_convolution* conv, uint32_t* rows, uint32_t* cols) {
  *rows = dla_window_positions(&conv->window, 0, conv->H) / (conv->pool ? 2 : 1);
  *cols = dla_window_positions(&conv->window, 1, conv->W) / (conv->pool ? 2 : 1);
}

static bool window_is_valid(const struct dla_window* w) {
  for (uint32_t axis = 0; axis < 2; ++axis) {
    if (w->kernel[axis] == 0 || w->strides[axis] == 0 || w->dilations[axis] == 0) {
      return false;
    }
  }
  return true;
}

bool dla_convolution_is_valid(const struct dla_convolution* conv) {
  if (conv->C == 0 || conv->H == 0 || conv->W == 0 || conv->M == 0 || conv->groups == 0 ||
      conv->C % conv->groups != 0 || conv->M % conv->groups != 0 || conv->quant.shift > 31 ||
      !window_is_valid(&conv->window)) {
    return false;
  }
  uint32_t rows = 0, cols = 0;
  dla_convolution_outputs(conv, &rows, &cols);
  const uint64_t taps = (uint64_t)conv->C / conv->groups * conv->window.kernel[0] * conv->window.kernel[1];
  return rows != 0 && cols != 0 && taps <= INT32_MAX && (uint64_t)rows * cols <= UINT32_MAX / 4;
}

/// Row and column before pooling of output pixel `index`; with pooling, four in a row are one output's corners.
static void place_pixel(const struct job* job, uint32_t index, uint32_t* e, uint32_t* f) {
  const uint32_t output = job->conv->pool ? index / 4 : index;
  const uint32_t corner = job->conv->pool ? index % 4 : 0;
  const uint32_t scale = job->conv->pool ? 2 : 1;
  *e = output / job->cols * scale + corner / 2;
  *f = output % job->cols * scale + corner % 2;
}

/// Taps tap0 to tap0 + taps - 1 of one pixel's window, minus the zero point; 0 in the padding.
static void gather_pixel(const struct job* job, uint32_t group, uint32_t index, uint32_t tap0, uint32_t taps,
                         int16_t* patch) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  const uint32_t S = w->kernel[1];
  const int16_t zero_point = conv->quant.ifmap_zero_point;
  uint32_t e = 0, f = 0;
  place_pixel(job, index, &e, &f);
  const int64_t top = (int64_t)e * w->strides[0] - w->pads[0];
  const int64_t left = (int64_t)f * w->strides[1] - w->pads[1];
  uint32_t s = tap0 % S, r = tap0 / S % w->kernel[0];
  const uint32_t channel = group * (conv->C / conv->groups) + tap0 / S / w->kernel[0];
  const uint8_t* plane = job->ifmap + (size_t)channel * conv->H * conv->W;
  for (uint32_t k = 0; k < taps; ++k) {
    const int64_t y = top + (int64_t)r * w->dilations[0];
    const int64_t x = left + (int64_t)s * w->dilations[1];
    const bool inside = y >= 0 && y < conv->H && x >= 0 && x < conv->W;
    patch[k] = (int16_t)(inside ? plane[y * conv->W + x] - zero_point : 0);
    if (++s == S) {
      s = 0;
      if (++r == w->kernel[0]) {
        r = 0;
        plane += (size_t)conv->H * conv->W;
      }
    }
  }
}

/// acc[i] += weights . patch[i] for four pixels. At most kTaps products of 255 * 128 fit an int32.
static void multiply_four(const int16_t* weights, int16_t patch[][kTaps], uint32_t taps, uint32_t* acc) {
  int32_t sum[4] = {0, 0, 0, 0};
  for (uint32_t k = 0; k < taps; ++k) {
    sum[0] += weights[k] * patch[0][k];
    sum[1] += weights[k] * patch[1][k];
    sum[2] += weights[k] * patch[2][k];
    sum[3] += weights[k] * patch[3][k];
  }
  for (uint32_t i = 0; i < 4; ++i) {
    acc[i] += (uint32_t)sum[i];
  }
}

/// One round: taps tap0 to tap0 + taps - 1 of `filters` filters from m0 on, for all pixels of the tile.
static void accumulate(const struct job* job, struct tile* tile, uint32_t group, uint32_t m0, uint32_t filters,
                       uint32_t tap0, uint32_t taps) {
  for (uint32_t i = 0; i < tile->pixels; ++i) {
    gather_pixel(job, group, tile->first + i, tap0, taps, tile->patch[i]);
  }
  for (uint32_t m = 0; m < filters; ++m) {
    const int8_t* filter = job->filter + (size_t)(m0 + m) * job->taps + tap0;
    for (uint32_t k = 0; k < taps; ++k) {
      tile->weights[k] = (int16_t)filter[k];
    }
    for (uint32_t i = 0; i < tile->pixels; i += 4) {
      multiply_four(tile->weights, tile->patch + i, taps, tile->acc[m] + i);
    }
  }
}

static int32_t max_of_four(const uint32_t* acc) {
  int32_t best = (int32_t)acc[0];
  for (uint32_t i = 1; i < 4; ++i) {
    best = (int32_t)acc[i] > best ? (int32_t)acc[i] : best;
  }
  return best;
}

/// Where filter `m` of the tile is stored.
static uint8_t* outputs_of(const struct job* job, const struct tile* tile, uint32_t m) {
  return job->ofmap + (size_t)m * job->rows * job->cols + tile->first / (job->conv->pool ? 4 : 1);
}

/// Pools, shifts and stores what was accumulated for filter `m`.
static void store(const struct job* job, const struct tile* tile, uint32_t m, const uint32_t* acc) {
  const struct dla_quant* q = &job->conv->quant;
  const uint32_t step = job->conv->pool ? 4 : 1;
  uint8_t* out = outputs_of(job, tile, m);
  for (uint32_t i = 0; i < tile->pixels; i += step) {
    const int32_t value = job->conv->pool ? max_of_four(acc + i) : (int32_t)acc[i];
    *out++ = dla_requantize(value, q->shift, q->rounding, q->relu, q->ofmap_zero_point);
  }
}

/// The same with a scale instead of the shift.
static void store_scaled(const struct job* job, const struct tile* tile, uint32_t m, const uint32_t* acc) {
  const struct dla_convolution* conv = job->conv;
  const float scale = conv->scale[(size_t)m * conv->scale_step];
  const uint32_t step = conv->pool ? 4 : 1, outputs = tile->pixels / step;
  uint8_t* out = outputs_of(job, tile, m);
  int32_t values[kPixels];
  for (uint32_t i = 0; i < outputs; ++i) {
    values[i] = conv->pool ? max_of_four(acc + (size_t)i * 4) : (int32_t)acc[i];
  }
  for (uint32_t i = 0; i < outputs; ++i) {
    out[i] = dla_apply_scale(values[i], scale, kDlaNearestEven, conv->quant.relu, conv->quant.ofmap_zero_point);
  }
}

static void convolve_filters(const struct job* job, struct tile* tile, uint32_t group, uint32_t m0, uint32_t filters) {
  for (uint32_t m = 0; m < filters; ++m) {
    for (uint32_t i = 0; i < kPixels; ++i) {
      tile->acc[m][i] = (uint32_t)job->bias[m0 + m];
    }
  }
  for (uint32_t tap0 = 0; tap0 < job->taps; tap0 += kTaps) {
    const uint32_t left = job->taps - tap0;
    accumulate(job, tile, group, m0, filters, tap0, left < kTaps ? left : kTaps);
  }
  for (uint32_t m = 0; m < filters; ++m) {
    if (job->conv->scale == NULL) {
      store(job, tile, m0 + m, tile->acc[m]);
    } else {
      store_scaled(job, tile, m0 + m, tile->acc[m]);
    }
  }
}

void dla_convolve(const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter, const int32_t* bias,
                  uint8_t* ofmap) {
  struct job job = {.conv = conv, .ifmap = ifmap, .filter = filter, .bias = bias, .ofmap = ofmap};
  dla_convolution_outputs(conv, &job.rows, &job.cols);
  job.taps = conv->C / conv->groups * conv->window.kernel[0] * conv->window.kernel[1];
  const uint32_t all_pixels = job.rows * job.cols * (conv->pool ? 4 : 1);
  const uint32_t group_filters = conv->M / conv->groups;
  struct tile tile = {.first = 0};  // Rows of a last, partial tile are multiplied too: they must hold taps, not chance.
  for (; tile.first < all_pixels; tile.first += kPixels) {
    tile.pixels = all_pixels - tile.first < kPixels ? all_pixels - tile.first : kPixels;
    for (uint32_t group = 0; group < conv->groups; ++group) {
      for (uint32_t m = 0; m < group_filters; m += kFilters) {
        const uint32_t filters = group_filters - m < kFilters ? group_filters - m : kFilters;
        convolve_filters(&job, &tile, group, group * group_filters + m, filters);
      }
    }
  }
}
