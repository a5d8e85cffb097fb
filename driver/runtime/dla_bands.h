// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolution over bands of rows, for any types of numbers. Included by the files of such kernels, which define
/// before: `dla_x` what the ifmap holds, `dla_weight`, `dla_sum` what products are summed in, kBandTaps of them at a
/// time, `dla_total` what these sums are added in by add_sum(), `dla_y` what the ofmap holds, and how totals become it:
/// finish(context, m, first, count, totals, y), of filter m, element `first` of its plane and those behind it. It may
/// read up to kBlock - 1 totals more. finishes_rows(context) says that it must not be given sums between two rows.
///
/// A band is some rows of the ofmap, or where these are long a piece of one. Each channel of the ifmap that its windows
/// read is copied with the padding, its rows end to end, and where the window moves in steps, rows and columns of each
/// remainder in a plane of their own. So each tap of the window is one product of the whole band, shifted by the tap's
/// place, with one weight: whatever the window, the inner loop runs over neighbours, and the compiler makes vectors of
/// it. Sums between two rows are computed along and not read. Each sum adds its taps in their order, in every build.
#pragma once

#include "dla_convolution.h"
#include "dla_widest_vectors.h"

enum {
  kBlock = DLA_VECTOR,  ///< Positions,
  kBlockSums = 8,       ///< and filters that are multiplied with them at a time: their sums stay in registers.
#ifdef DLA_SMALL_TILES
  kBandPositions = 64,  ///< Sums a filter.
  kBandFilters = 8,     ///< Filters that share what was copied.
  kBandTaps = 256,      ///< Taps at a time,
  kBandNumbers = 1024,  ///< of channels with so many numbers.
#else
  kBandPositions = 384,
  kBandFilters = 32,
  kBandTaps = 512,
  kBandNumbers = 9216,
#endif
  kBandRow = kBandPositions + 2 * kBlock,
};

/// A convolution without pooling, and what is derived from it once.
struct band_job {
  const struct dla_convolution* conv;
  const dla_x* x;
  dla_x zero_point;  ///< What is subtracted from x, and what padding is.
  const dla_weight* filter;
  dla_y* y;
  const void* context;  ///< For finish().
  uint32_t H, W, E, F, channels, filters, taps;
  uint32_t reach[2];   ///< Rows and columns that a plane has more than the band.
  uint32_t planes[2];  ///< Remainders that taps have, of rows and of columns.
};

struct band {
  _Alignas(64) dla_sum x[kBandNumbers + 2 * kBlock];
  _Alignas(64) dla_total acc[kBandFilters][kBandRow];
  dla_sum weights[kBlockSums][kBandTaps];
  dla_y y[kBandPositions];
  uint32_t place[kBandTaps];  ///< Of each tap's product in x, for the first position.
  uint32_t row, column, rows, columns;
  uint32_t width, positions;
  uint32_t channel_numbers;
};

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Numbers of a channel that a band of so many rows and columns needs.
static uint64_t numbers_of(const struct band_job* job, uint64_t rows, uint64_t columns) {
  return (rows + job->reach[0]) * (columns + job->reach[1]) * job->planes[0] * job->planes[1];
}

/// Chooses how many rows and columns bands have. \return false where a window alone has too many numbers.
static bool choose_band(const struct band_job* job, uint32_t* rows, uint32_t* columns) {
  *rows = 1;
  *columns = job->F;
  while (*columns > 1 && (*columns > kBandPositions || numbers_of(job, 1, *columns) > kBandNumbers)) {
    *columns = (*columns + 1) / 2;
  }
  while (*columns == job->F && *rows < job->E && numbers_of(job, *rows + 1, *columns) <= kBandNumbers &&
         (uint64_t)(*rows + 1) * (*columns + job->reach[1]) <= kBandPositions) {
    ++*rows;
  }
  return numbers_of(job, *rows, *columns) <= kBandNumbers;
}

/// Which of `count` numbers, `step` apart from `start` on, lie in an ifmap of `size`.
static inline uint32_t first_inside(int64_t start, uint32_t step, uint32_t count) {
  return start < 0 ? lesser((uint32_t)((-start + step - 1) / step), count) : 0;
}
static inline uint32_t end_inside(int64_t start, uint32_t step, uint32_t count, uint32_t size) {
  return start >= size ? 0 : lesser((uint32_t)((size - start + step - 1) / step), count);
}

/// to[i] = x[i * step] - zero_point. Where numbers are converted, rows of a block and more are blocks, of which the
/// last overlaps the one before: a rest by itself would take longer than all others.
static inline __attribute__((always_inline)) void copy_numbers(const dla_x* restrict x, uint32_t step, dla_x zero_point,
                                                               uint32_t count, dla_sum* restrict to) {
  if (sizeof(dla_x) == sizeof(dla_sum) || count < kBlock) {
    for (uint32_t i = 0; i < count; ++i) {
      to[i] = (dla_sum)x[(size_t)i * step] - (dla_sum)zero_point;
    }
    return;
  }
  for (uint32_t i = 0; i < count; i += kBlock) {
    i = lesser(i, count - kBlock);
    const dla_x* restrict from = x + (size_t)i * step;
    DLA_VECTOR_LOOP
    for (uint32_t k = 0; k < kBlock; ++k) {
      to[i + k] = (dla_sum)from[(size_t)k * step] - (dla_sum)zero_point;
    }
  }
}

/// Copies what the band reads of a channel, [row remainder][column remainder][row][column]; not the padding.
DLA_WIDEST_VECTORS static void copy_channel(const struct band_job* job, const struct band* band, const dla_x* plane,
                                            dla_sum* to) {
  const struct dla_window* w = &job->conv->window;
  const uint32_t down = w->strides[0], right = w->strides[1], rows = band->rows + job->reach[0];
  for (uint32_t py = 0; py < job->planes[0]; ++py) {
    const int64_t top = (int64_t)band->row * down + py - w->pads[0];
    const uint32_t row = first_inside(top, down, rows), end_row = end_inside(top, down, rows, job->H);
    for (uint32_t px = 0; px < job->planes[1]; ++px, to += (size_t)rows * band->width) {
      const int64_t left = (int64_t)band->column * right + px - w->pads[1];
      const uint32_t first = first_inside(left, right, band->width);
      const uint32_t end = end_inside(left, right, band->width, job->W);
      for (uint32_t i = row; i < end_row && first < end; ++i) {
        const dla_x* from = plane + (top + (int64_t)i * down) * job->W + left + (int64_t)first * right;
        dla_sum* at = to + (size_t)i * band->width + first;
        if (right == 1) {
          copy_numbers(from, 1, job->zero_point, end - first, at);
        } else if (right == 2) {
          copy_numbers(from, 2, job->zero_point, end - first, at);
        } else {
          copy_numbers(from, right, job->zero_point, end - first, at);
        }
      }
    }
  }
}

/// Where the product of each tap of a slice of `channels` channels begins.
static void place_taps(const struct band_job* job, struct band* band, uint32_t channels) {
  const struct dla_window* w = &job->conv->window;
  const uint32_t plane = (band->rows + job->reach[0]) * band->width;
  uint32_t* place = band->place;
  for (uint32_t c = 0; c < channels; ++c) {
    for (uint32_t r = 0; r < w->kernel[0]; ++r) {
      const uint32_t y = r * w->dilations[0];
      for (uint32_t s = 0; s < w->kernel[1]; ++s) {
        const uint32_t x = s * w->dilations[1];
        const uint32_t remainder = y % w->strides[0] * job->planes[1] + x % w->strides[1];
        *place++ = c * band->channel_numbers + remainder * plane + y / w->strides[0] * band->width + x / w->strides[1];
      }
    }
  }
}

/// acc[f][p] += weights[f] . x at p, for `filters` filters and `blocks` blocks of positions,
/// constants whose product is at most kBlockSums.
static inline __attribute__((always_inline)) void multiply_blocks(const dla_sum* restrict x,
                                                                  const uint32_t* restrict place, uint32_t taps,
                                                                  const dla_sum* restrict weights, size_t row,
                                                                  dla_total* restrict acc, uint32_t filters,
                                                                  uint32_t blocks) {
  _Alignas(64) dla_sum sum[kBlockSums][kBlock];
  for (uint32_t i = 0; i < filters * blocks; ++i) {
    const dla_sum* restrict at = x + place[0] + i % blocks * kBlock;
    const dla_sum weight = weights[i / blocks * row];
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      sum[i][p] = weight * at[p];
    }
  }
  for (uint32_t k = 1; k < taps; ++k) {
    for (uint32_t i = 0; i < filters * blocks; ++i) {
      const dla_sum* restrict at = x + place[k] + i % blocks * kBlock;
      const dla_sum weight = weights[i / blocks * row + k];
      DLA_VECTOR_LOOP
      for (uint32_t p = 0; p < kBlock; ++p) {
        sum[i][p] += weight * at[p];
      }
    }
  }
  for (uint32_t i = 0; i < filters * blocks; ++i) {
    dla_total* to = acc + i / blocks * kBandRow + i % blocks * kBlock;
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      to[p] = add_sum(to[p], sum[i][p]);
    }
  }
}

/// `taps` weights of each of `filters` filters that lie *row apart, as numbers of the type that sums have.
static inline const dla_sum* convert_weights(const dla_weight* restrict from, uint32_t filters, uint32_t taps,
                                             dla_sum (*restrict to)[kBandTaps], size_t* row) {
  if (sizeof(dla_weight) == sizeof(dla_sum)) {
    return (const void*)from;  // They are of that type.
  }
  for (uint32_t f = 0; f < filters; ++f) {
    for (uint32_t k = 0; k < taps; ++k) {
      to[f][k] = (dla_sum)from[f * *row + k];
    }
  }
  *row = kBandTaps;
  return to[0];
}

/// Multiplies `taps` taps of `filters` filters, the first of them at `weights`, with what was copied for the band.
DLA_WIDEST_VECTORS static void multiply_band(struct band* band, const dla_weight* weights, size_t taps_of_filter,
                                             uint32_t filters, uint32_t taps) {
  uint32_t f = 0, step = 0;
  for (; f < filters; f += step) {
    step = filters - f < kBlockSums ? 1 : kBlockSums;
    size_t row = taps_of_filter;
    const dla_sum* from = convert_weights(weights + f * row, step, taps, band->weights, &row);
    uint32_t p = 0;
    if (step == kBlockSums) {
      for (; p < band->positions; p += kBlock) {
        multiply_blocks(band->x + p, band->place, taps, from, row, band->acc[f] + p, kBlockSums, 1);
      }
      continue;
    }
    for (; p + 4 * kBlock <= band->positions; p += 4 * kBlock) {
      multiply_blocks(band->x + p, band->place, taps, from, row, band->acc[f] + p, 1, 4);
    }
    for (; p < band->positions; p += 2 * kBlock) {  // Of one block, the compiler turns the loops round: no vectors.
      multiply_blocks(band->x + p, band->place, taps, from, row, band->acc[f] + p, 1, 2);
    }
  }
}

/// The band's outputs of filter `m`.
static void store(const struct band_job* job, struct band* band, uint32_t m, const dla_total* acc) {
  const uint32_t first = band->row * job->F + band->column;
  dla_y* y = job->y + (size_t)m * job->E * job->F + first;
  if (band->rows == 1 || band->width == band->columns) {
    finish(job->context, m, first, band->positions, acc, y);
    return;
  }
  const uint32_t rows = band->rows, columns = band->columns, width = band->width, F = job->F;
  if (finishes_rows(job->context)) {
    for (uint32_t i = 0; i < rows; ++i) {
      finish(job->context, m, first + i * F, columns, acc + (size_t)i * width, y + (size_t)i * F);
    }
    return;
  }
  finish(job->context, m, first, band->positions, acc, band->y);
  for (uint32_t i = 0; i < rows; ++i) {
    const dla_y* restrict from = band->y + i * width;
    dla_y* restrict to = y + (size_t)i * F;
    for (uint32_t k = 0; k < columns; ++k) {
      to[k] = from[k];
    }
  }
}

/// A band of `filters` filters, the first of them `m0`, of a group. What was copied for the filters before them is
/// still there if it is all channels.
static void convolve_filters(const struct band_job* job, struct band* band, uint32_t group, uint32_t m0,
                             uint32_t filters, uint32_t slice, bool is_copied) {
  const uint32_t window = job->conv->window.kernel[0] * job->conv->window.kernel[1];
  const size_t plane = (size_t)job->H * job->W;
  for (uint32_t f = 0; f < filters; ++f) {
    for (uint32_t p = 0; p < band->positions + 2 * kBlock; ++p) {
      band->acc[f][p] = 0;
    }
  }
  for (uint32_t c = 0; c < job->channels; c += slice) {
    const uint32_t channels = lesser(job->channels - c, slice);
    if (!is_copied) {
      for (uint32_t i = 0; i < channels; ++i) {
        copy_channel(job, band, job->x + ((size_t)group * job->channels + c + i) * plane,
                     band->x + (size_t)i * band->channel_numbers);
      }
    }
    multiply_band(band, job->filter + (size_t)m0 * job->taps + (size_t)c * window, job->taps, filters,
                  channels * window);
  }
  for (uint32_t f = 0; f < filters; ++f) {
    store(job, band, m0 + f, band->acc[f]);
  }
}

/// Convolves. \return false, having done nothing, where a window has too many taps or numbers.
static bool convolve_bands(struct band_job* job) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  const uint32_t window = w->kernel[0] * w->kernel[1];
  job->E = dla_window_positions(w, 0, job->H = conv->H);
  job->F = dla_window_positions(w, 1, job->W = conv->W);
  job->channels = conv->C / conv->groups;
  job->filters = conv->M / conv->groups;
  job->taps = job->channels * window;
  const bool is_whole = window == 1 && w->strides[0] == 1 && w->strides[1] == 1 &&
                        (w->pads[0] | w->pads[1] | w->pads[2] | w->pads[3]) == 0;
  if (is_whole) {
    job->F = job->W = job->H * job->W;  // Rows end to end are one row.
    job->E = job->H = 1;
  }
  for (uint32_t axis = 0; axis < 2; ++axis) {
    const uint64_t reach = (uint64_t)(w->kernel[axis] - 1) * w->dilations[axis] / w->strides[axis];
    job->reach[axis] = reach > kBandNumbers ? kBandNumbers : (uint32_t)reach;
    job->planes[axis] = w->dilations[axis] == 1 ? lesser(w->kernel[axis], w->strides[axis]) : w->strides[axis];
  }
  struct band band;
  uint32_t rows = 0, columns = 0;
  if (job->planes[0] > kBandNumbers || job->planes[1] > kBandNumbers || window > kBandTaps ||
      !choose_band(job, &rows, &columns)) {
    return false;
  }
  rows = (job->E + (job->E + rows - 1) / rows - 1) / ((job->E + rows - 1) / rows);
  for (band.row = 0; band.row < job->E; band.row += rows) {
    for (band.column = 0; band.column < job->F; band.column += columns) {
      band.rows = lesser(job->E - band.row, rows);
      band.columns = lesser(job->F - band.column, columns);
      band.width = band.columns + job->reach[1];
      band.positions = (band.rows - 1) * band.width + band.columns;
      band.channel_numbers = (uint32_t)numbers_of(job, band.rows, band.columns);
      const uint32_t slice = lesser(job->channels, lesser(kBandTaps / window, kBandNumbers / band.channel_numbers));
      place_taps(job, &band, slice);
      const uint32_t end = slice * band.channel_numbers;
      const uint32_t first = is_whole ? end : 0;  // The padding, and what lies behind a last block.
      __builtin_memset(band.x + first, 0, (end - first + 2 * kBlock) * sizeof(dla_sum));
      for (uint32_t group = 0; group < conv->groups; ++group) {
        for (uint32_t m = 0; m < job->filters; m += kBandFilters) {
          const uint32_t filters = lesser(job->filters - m, kBandFilters);
          convolve_filters(job, &band, group, group * job->filters + m, filters, slice,
                           m != 0 && slice == job->channels);
        }
      }
    }
  }
  return true;
}
