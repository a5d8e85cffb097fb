// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bands of bytes: copies of what windows of some outputs read, and the way of these outputs into the ofmap, through a
/// max-pool where one follows. Included by dla_convolve_bytes.c.
///
/// A band is some rows of the ofmap, or where these are long a piece of one. Its copy has the padding, and where the
/// window moves in steps, rows and columns of each remainder in a plane of their own, as in dla_bands.h: what a tap
/// reads for one position, neighbours of it read for its neighbours. Padding is the zero point.
#pragma once

#include <immintrin.h>

#include "dla_convolve_job.h"

#define INLINE static inline __attribute__((always_inline)) DLA_WORD_PRODUCTS

enum {
  kVector = 64,           ///< Bytes.
  kBandBytes = 1 << 15,   ///< Copied at a time.
  kBehind = 5 * kVector,  ///< What may be read behind them.
  kBandOutputs = 2304,    ///< Of a filter, where it is depthwise.
  kBandFilters = 256,     ///< That share what was copied, at most,
  kFewFilters = 8,        ///< or a pool's bands are so small that these have room.
  kPoolBytes = 1 << 14,   ///< Of these filters before the pool,
  kLineBytes = 1 << 11,   ///< and of rows under windows of the pool, with padding.
};

/// A convolution's layout as bands, one of them, and its bytes.
struct band {
  const struct dla_job* job;
  bool is_depthwise;               ///< Neighbours in a row stay neighbours, whatever the stride.
  bool is_whole;                   ///< All positions are one row of bytes as they lie: nothing is copied.
  uint32_t all_rows, all_columns;  ///< Of the ofmap, before the pool.
  uint32_t reach[2];               ///< Rows and columns that a plane has more than the band.
  uint32_t planes[2];              ///< Remainders of rows and of columns.
  uint32_t right;                  ///< Columns of the ifmap from byte to byte of a row that was copied,
  uint32_t step;                   ///< and bytes from position to position.
  uint32_t together;               ///< Filters that share what was copied.

  uint32_t row, column, rows, columns;
  uint32_t pooled_row, pooled_rows;  ///< Of the ofmap that come from it.
  uint32_t outputs;                  ///< Of all rows.
  uint32_t pitch;                    ///< Positions from row to row: between two there are some without an output.
  uint32_t plane;                    ///< Bytes of a plane,
  uint32_t channel;                  ///< and of all planes, or whole.

  uint8_t* y;     ///< Where the outputs of a first filter go,
  size_t y_step;  ///< and how far behind them those of the next.
  _Alignas(kVector) uint8_t x[kBandBytes + kBehind];
  uint8_t unpooled[kPoolBytes];
  uint8_t lines[kLineBytes + 2 * kVector], largest[kLineBytes + kVector];
};

static inline uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }
static inline uint64_t ones(uint32_t count) { return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1; }

/// Lays a convolution out. \return false where taps have too many remainders.
static bool lay_out(const struct dla_job* job, bool is_depthwise, struct band* band) {
  const struct dla_window* w = &job->conv->window;
  band->job = job;
  band->is_depthwise = is_depthwise;
  band->is_whole = job->window == 1 && w->strides[0] == 1 && w->strides[1] == 1 &&
                   (w->pads[0] | w->pads[1] | w->pads[2] | w->pads[3]) == 0 && !job->conv->pool && !is_depthwise;
  band->all_rows = band->is_whole ? 1 : job->unpooled_rows;
  band->all_columns = band->is_whole ? job->rows * job->cols : job->unpooled_cols;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    band->reach[axis] = least((uint64_t)(w->kernel[axis] - 1) * w->dilations[axis] / w->strides[axis], kBandBytes);
    band->planes[axis] = w->dilations[axis] == 1 ? least(w->kernel[axis], w->strides[axis]) : w->strides[axis];
  }
  band->planes[1] = is_depthwise ? 1 : band->planes[1];
  band->right = is_depthwise ? 1 : w->strides[1];
  band->step = is_depthwise ? w->strides[1] : 1;
  band->together = kBandFilters;
  return band->planes[0] <= kBandBytes && band->planes[1] <= kBandBytes;
}

/// Bytes of a channel that a band of so many rows and columns needs.
static uint64_t bytes_of(const struct band* band, uint64_t rows, uint64_t columns) {
  return (rows + band->reach[0]) * (columns + band->reach[1]) * band->step * band->planes[0] * band->planes[1];
}

static bool fits(const struct band* band, uint64_t rows, uint64_t columns) {
  const uint64_t channels = band->is_depthwise ? 1 : band->job->channels;
  return bytes_of(band, rows, columns) <= kBandBytes / channels &&
         (!band->is_depthwise || rows * columns <= kBandOutputs);
}

/// Chooses how many rows and columns bands have. \return false where a window alone has too many bytes.
static bool choose_rows(const struct band* band, uint32_t* rows, uint32_t* columns) {
  *rows = 1;
  *columns = band->all_columns;
  if (band->is_whole) {
    *columns = least(*columns, kBandBytes);  // Positions are to be numbers less than 2^22.
    return true;
  }
  while (*columns > 1 && !fits(band, 1, *columns)) {
    *columns = (*columns + 1) / 2;
  }
  while (*columns == band->all_columns && *rows < band->all_rows && fits(band, *rows + 1, *columns)) {
    ++*rows;
  }
  const uint32_t bands = (band->all_rows + *rows - 1) / *rows;
  *rows = (band->all_rows + bands - 1) / bands;
  return fits(band, *rows, *columns);
}

/// Whether so many rows of a pool's windows fit, and what is below them of so many filters.
static bool fits_pooled(const struct band* band, uint64_t rows, uint32_t filters) {
  const struct dla_pooling* pool = &band->job->conv->pooling;
  const uint64_t unpooled = (rows - 1) * dla_pooling_stride(pool) + dla_pooling_size(pool);
  const uint64_t line = (uint64_t)band->all_columns + pool->pads[1] + pool->pads[3];
  return fits(band, unpooled, band->all_columns) && unpooled * band->all_columns <= kPoolBytes / filters &&
         rows * line <= kLineBytes;
}

/// Chooses how many rows of a pool's windows bands have, and how many filters go together. \return false where one row
/// is too many.
static bool choose_pooled(struct band* band, uint32_t* rows) {
  *rows = 1;
  band->together = band->is_depthwise ? 1 : least(band->job->filters, kBandFilters);
  while (band->together > kFewFilters && !fits_pooled(band, 1, band->together)) {
    band->together = (band->together + 1) / 2;
  }
  while (*rows < band->job->rows && fits_pooled(band, (uint64_t)*rows + 1, band->together)) {
    ++*rows;
  }
  return fits_pooled(band, *rows, band->together);
}

/// Begins a band of so many rows and columns, whose first row and column are set.
static void begin_band(struct band* band, uint32_t rows, uint32_t columns) {
  const struct dla_convolution* conv = band->job->conv;
  band->rows = rows;
  band->columns = columns;
  band->outputs = rows * columns;
  band->pitch = columns + band->reach[1];
  band->plane = (rows + band->reach[0]) * band->pitch * band->step;
  band->channel = band->is_whole ? conv->H * conv->W : band->plane * band->planes[0] * band->planes[1];
  if (!band->is_whole) {
    const uint32_t channels =
        band->is_depthwise ? least(conv->groups, kBandBytes / band->channel) : band->job->channels;
    __builtin_memset(band->x, conv->quant.ifmap_zero_point, channels * band->channel + kBehind);
  }
}

/// Where a channel's tap at row r and column s of the window lies in its copy, for the first position.
static inline uint32_t place_of(const struct band* band, uint32_t r, uint32_t s) {
  const struct dla_window* w = &band->job->conv->window;
  const uint32_t y = r * w->dilations[0], x = s * w->dilations[1], down = w->strides[0], right = band->right;
  return (y % down * band->planes[1] + x % right) * band->plane + y / down * band->pitch * band->step + x / right;
}

/// Copies `count` bytes that lie `step` apart.
INLINE void copy_bytes(const uint8_t* from, uint32_t step, uint32_t count, uint8_t* to) {
  for (uint32_t i = 0; step == 1 && i < count; i += kVector) {
    const uint64_t mask = ones(count - i);
    _mm512_mask_storeu_epi8(to + i, mask, _mm512_maskz_loadu_epi8(mask, from + i));
  }
  for (uint32_t i = 0; step == 2 && i < count; i += 32) {  // The lower bytes of numbers of two.
    const __m512i numbers = _mm512_maskz_loadu_epi8(ones(2 * (count - i) - 1), from + (size_t)2 * i);
    _mm512_mask_storeu_epi8(to + i, ones(least(count - i, 32)), _mm512_castsi256_si512(_mm512_cvtepi16_epi8(numbers)));
  }
  for (uint32_t i = 0; step > 2 && i < count; ++i) {
    to[i] = from[(size_t)i * step];
  }
}

/// Which of `count` numbers, `step` apart from `start` on, lie in an ifmap of `size`: from the first on, to the end.
static inline uint32_t first_inside(int64_t start, uint32_t step, uint32_t count) {
  return start < 0 ? least((uint64_t)(-start + step - 1) / step, count) : 0;
}
static inline uint32_t end_inside(int64_t start, uint32_t step, uint32_t count, uint32_t size) {
  return start >= size ? 0 : least((uint64_t)(size - start + step - 1) / step, count);
}

/// Copies what the band reads of a channel; not the padding.
INLINE void copy_channel(const struct band* band, const uint8_t* channel, uint8_t* to) {
  const struct dla_convolution* conv = band->job->conv;
  const uint32_t down = conv->window.strides[0], right = band->right;
  const uint32_t rows = band->rows + band->reach[0], width = band->pitch * band->step;
  for (uint32_t py = 0; py < band->planes[0]; ++py) {
    const int64_t top = (int64_t)band->row * down + py - conv->window.pads[0];
    const uint32_t row = first_inside(top, down, rows), end_row = end_inside(top, down, rows, conv->H);
    for (uint32_t px = 0; px < band->planes[1]; ++px, to += band->plane) {
      const int64_t left = (int64_t)band->column * conv->window.strides[1] + px - conv->window.pads[1];
      const uint32_t first = first_inside(left, right, width), end = end_inside(left, right, width, conv->W);
      for (uint32_t i = row; i < end_row && first < end; ++i) {
        const uint8_t* from = channel + (top + (int64_t)i * down) * conv->W + left + (int64_t)first * right;
        copy_bytes(from, right, end - first, to + (size_t)i * width + first);
      }
    }
  }
}

/// Says where outputs of the band go, of filters from m on.
static inline void begin_filters(struct band* band, uint32_t m) {
  const size_t whole = (size_t)band->all_rows * band->all_columns;
  const bool pool = band->job->conv->pool;
  band->y_step = pool ? band->outputs : whole;
  band->y = pool ? band->unpooled : band->job->ofmap + m * whole + band->row * band->all_columns + band->column;
}

/// The largest of each column under windows of the pool, rows of them end to end with padding, which is 0: no byte is
/// less, and no window is padding alone.
INLINE void pool_columns(struct band* band, const uint8_t* y) {
  const struct dla_pooling* pool = &band->job->conv->pooling;
  const uint32_t line = pool->pads[1] + band->columns + pool->pads[3];
  for (uint32_t row = 0; row < band->pooled_rows; ++row) {
    const int64_t top = (int64_t)(band->pooled_row + row) * dla_pooling_stride(pool) - pool->pads[0];
    const uint32_t first = (uint32_t)(top < 0 ? 0 : top), end = least(top + dla_pooling_size(pool), band->all_rows);
    for (uint32_t i = 0; i < band->columns; i += kVector) {
      const uint64_t mask = ones(band->columns - i);
      __m512i best = _mm512_setzero_si512();
      for (uint32_t e = first; e < end; ++e) {
        best = _mm512_max_epu8(best, _mm512_maskz_loadu_epi8(mask, y + (e - band->row) * band->columns + i));
      }
      _mm512_mask_storeu_epi8(band->lines + row * line + pool->pads[1] + i, mask, best);
    }
  }
}

/// Ends what begin_filters() began for `filters` filters: pools them, where a pool follows.
INLINE void end_filters(struct band* band, uint32_t m, uint32_t filters) {
  const struct dla_job* job = band->job;
  const struct dla_pooling* pool = &job->conv->pooling;
  const uint32_t line = pool->pads[1] + band->columns + pool->pads[3], all = band->pooled_rows * line;
  for (uint32_t f = 0; job->conv->pool && f < filters; ++f) {
    pool_columns(band, band->y + f * band->y_step);
    for (uint32_t i = 0; i < all; i += kVector) {
      const uint8_t* at = band->lines + i;
      const __m512i two = _mm512_max_epu8(_mm512_loadu_si512(at), _mm512_loadu_si512(at + 1));
      const __m512i three = _mm512_max_epu8(two, _mm512_loadu_si512(at + 2));
      _mm512_storeu_si512(band->largest + i, dla_pooling_size(pool) == 2 ? two : three);
    }
    for (uint32_t row = 0; row < band->pooled_rows; ++row) {
      copy_bytes(band->largest + row * line, dla_pooling_stride(pool), job->cols,
                 job->ofmap + ((size_t)(m + f) * job->rows + band->pooled_row + row) * job->cols);
    }
  }
}
