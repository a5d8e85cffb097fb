// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolution of groups of one to three filters, a band of output rows at a time. A channel's rows are copied end to
/// end with their padding; then each tap of the window is one product of the whole band, shifted by the tap's place,
/// with one weight. Sums between two rows, or between two steps of a stride, are computed along and not read.
#include "dla_convolve_job.h"

enum {
  kMostFilters = 3,   ///< Of a group: from four on, gathering windows is faster.
  kBand = 8192,       ///< Padded ifmap elements of one channel.
  kPositions = 2048,  ///< Sums a filter.
};

struct band {
  int16_t x[kBand];
  uint32_t acc[kMostFilters][kPositions];
  uint32_t width;        ///< Of a padded row, as far as windows reach.
  uint32_t first, rows;  ///< Output rows before pooling.
  uint32_t positions;    ///< From the first row's first window to the last row's last.
};

/// Rows of the padded ifmap that `rows` rows of windows read.
static uint64_t rows_read(const struct dla_window* w, uint32_t rows) {
  return (uint64_t)(rows - 1) * w->strides[0] + (uint64_t)(w->kernel[0] - 1) * w->dilations[0] + 1;
}

/// As many output rows as a band holds, even with pooling; 0 where it holds none. \param width  Of a padded row.
static uint32_t rows_of_band(const struct dla_job* job, uint64_t width) {
  const struct dla_window* w = &job->conv->window;
  const uint32_t step = job->conv->pool ? 2 : 1;
  uint32_t rows = 0;
  while (width <= kBand && rows < job->rows * step && rows_read(w, rows + step) * width <= kBand &&
         ((uint64_t)(rows + step - 1) * w->strides[0] + 1) * width <= kPositions) {
    rows += step;
  }
  return rows;
}

/// Copies a channel's rows, minus the zero point, with zeros around them.
static void fill(const struct dla_job* job, struct band* band, uint32_t channel) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  const int16_t zero_point = conv->quant.ifmap_zero_point;
  const uint8_t* plane = job->ifmap + (size_t)channel * conv->H * conv->W;
  const int64_t top = (int64_t)band->first * w->strides[0] - w->pads[0];
  const uint32_t left = w->pads[1] < band->width ? w->pads[1] : band->width;
  const uint32_t right = band->width - left < conv->W ? band->width : left + conv->W;
  const uint32_t rows = (uint32_t)rows_read(w, band->rows);
  for (uint32_t row = 0; row < rows; ++row) {
    int16_t* x = band->x + (size_t)row * band->width;
    const bool is_inside = top + row >= 0 && top + row < conv->H;
    const uint8_t* from = plane + (is_inside ? (top + row) * conv->W : 0);
    const uint32_t first = is_inside ? left : band->width, end = is_inside ? right : band->width;
    for (uint32_t i = 0; i < first; ++i) {
      x[i] = 0;
    }
    for (uint32_t i = first; i < end; ++i) {
      x[i] = (int16_t)(from[i - left] - zero_point);
    }
    for (uint32_t i = end; i < band->width; ++i) {
      x[i] = 0;
    }
  }
}

/// acc[i] += weight * x[i], modulo 2^32.
DLA_WIDEST_VECTORS static void add_products(uint32_t* restrict acc, const int16_t* restrict x, int16_t weight,
                                            uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    acc[i] += (uint32_t)(weight * x[i]);
  }
}

static void accumulate(const struct dla_job* job, struct band* band, uint32_t channel, uint32_t m0) {
  const struct dla_window* w = &job->conv->window;
  const uint32_t S = w->kernel[1], window = w->kernel[0] * S;
  for (uint32_t m = 0; m < job->filters; ++m) {
    const int8_t* weights = job->filter + (size_t)(m0 + m) * job->taps + (size_t)channel * window;
    for (uint32_t k = 0; k < window; ++k) {
      const size_t shift = (size_t)(k / S) * w->dilations[0] * band->width + (size_t)(k % S) * w->dilations[1];
      add_products(band->acc[m], band->x + shift, weights[k], band->positions);
    }
  }
}

/// The sums of an output row, pooled.
static void read_row(const struct dla_job* job, const struct band* band, const uint32_t* acc, uint32_t row,
                     int32_t* values) {
  const struct dla_window* w = &job->conv->window;
  const size_t down = (size_t)w->strides[0] * band->width, right = w->strides[1];
  const uint32_t step = job->conv->pool ? 2 : 1;
  const uint32_t* at = acc + row * step * down;
  for (uint32_t i = 0; i < job->cols; ++i, at += step * right) {
    int32_t best = (int32_t)at[0];
    for (uint32_t corner = 1; corner < step * step; ++corner) {
      const int32_t other = (int32_t)at[corner / 2 * down + corner % 2 * right];
      best = other > best ? other : best;
    }
    values[i] = best;
  }
}

static void convolve_group(const struct dla_job* job, struct band* band, uint32_t group) {
  const uint32_t m0 = group * job->filters, step = job->conv->pool ? 2 : 1;
  for (uint32_t m = 0; m < job->filters; ++m) {
    for (uint32_t i = 0; i < band->positions; ++i) {
      band->acc[m][i] = (uint32_t)job->bias[m0 + m];
    }
  }
  for (uint32_t c = 0; c < job->channels; ++c) {
    fill(job, band, group * job->channels + c);
    accumulate(job, band, c, m0);
  }
  int32_t values[kPositions];
  for (uint32_t m = 0; m < job->filters; ++m) {
    for (uint32_t row = 0; row < band->rows / step; ++row) {
      read_row(job, band, band->acc[m], row, values);
      dla_store(job, m0 + m, (band->first / step + row) * job->cols, job->cols, values);
    }
  }
}

bool dla_convolve_depthwise(const struct dla_job* job) {
  const struct dla_window* w = &job->conv->window;
  const uint32_t step = job->conv->pool ? 2 : 1;
  const uint64_t width =
      (uint64_t)(job->cols * step - 1) * w->strides[1] + (uint64_t)(w->kernel[1] - 1) * w->dilations[1] + 1;
  const uint32_t most_rows = rows_of_band(job, width);
  // Windows of a pool that are two rows apart in a band, and no padding.
  const struct dla_pooling* pool = &job->conv->pooling;
  const bool has_plain_pool =
      !job->conv->pool || (dla_pooling_size(pool) == 2 && dla_pooling_stride(pool) == 2 &&
                           (pool->pads[0] | pool->pads[1] | pool->pads[2] | pool->pads[3]) == 0);
  if (!has_plain_pool || job->conv->groups == 1 || job->filters > kMostFilters || most_rows == 0) {
    return false;
  }
  struct band band = {.width = (uint32_t)width, .first = 0};
  for (; band.first < job->rows * step; band.first += most_rows) {
    band.rows = job->rows * step - band.first < most_rows ? job->rows * step - band.first : most_rows;
    band.positions = (band.rows - 1) * w->strides[0] * band.width + (job->cols * step - 1) * w->strides[1] + 1;
    for (uint32_t group = 0; group < job->conv->groups; ++group) {
      convolve_group(job, &band, group);
    }
  }
  return true;
}
