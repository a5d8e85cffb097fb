// SPDX-License-Identifier: Apache-2.0
/// \file
/// Depthwise convolution, one filter a channel, for any types of numbers. Included behind dla_bands.h, whose types and
/// finish() it takes.
///
/// Channels go in batches: all of a batch are copied with their padding, then all are multiplied, then all finished, so
/// that nothing is read which was just written in other pieces. A block is kBlock neighbours of a row of sums; where
/// rows are shorter, what is written behind them is overwritten by the next. Where the window moves in steps along a
/// row, the sums between are computed too and left out afterwards. Each sum adds its taps in their order.
#pragma once

#include "dla_bands.h"

enum {
  kRowBlocks = 4,  ///< Blocks of a channel that are multiplied at a time.
#ifdef DLA_SMALL_TILES
  kMostBlocks = 64,  ///< Of a channel's rows in a batch; a multiple of it.
#else
  kMostBlocks = 256,
#endif
};

/// Some rows of some channels.
struct batch {
  uint32_t row, rows, in_rows;  ///< Of the ofmap, and as many of the ifmap as they need.
  uint32_t width;               ///< Of a row of the ifmap with its padding,
  uint32_t run;                 ///< of a row of sums.
  uint32_t channel, channels;
  uint32_t blocks, from[kMostBlocks], to[kMostBlocks];  ///< Where each begins, in a channel's copy and in its sums.
};

/// A row of any length, in at most two pieces where it is short.
static inline __attribute__((always_inline)) void copy_row(const dla_x* restrict x, dla_x zero_point, uint32_t count,
                                                           dla_sum* restrict to) {
  if (sizeof(dla_x) != sizeof(dla_sum) || count >= kBlock || count < 2) {
    copy_numbers(x, 1, zero_point, count, to);
  } else if (count >= 8) {
    __builtin_memcpy(to, x, 8 * sizeof(dla_sum));
    __builtin_memcpy(to + count - 8, x + count - 8, 8 * sizeof(dla_sum));
  } else if (count >= 4) {
    __builtin_memcpy(to, x, 4 * sizeof(dla_sum));
    __builtin_memcpy(to + count - 4, x + count - 4, 4 * sizeof(dla_sum));
  } else {
    __builtin_memcpy(to, x, 2 * sizeof(dla_sum));
    __builtin_memcpy(to + count - 2, x + count - 2, 2 * sizeof(dla_sum));
  }
}

/// Copies what the batch reads; not the padding.
DLA_WIDEST_VECTORS static void copy_batch(const struct band_job* job, const struct batch* batch, dla_sum* to) {
  const struct dla_window* w = &job->conv->window;
  const int64_t top = (int64_t)batch->row * w->strides[0] - w->pads[0], left = -(int64_t)w->pads[1];
  const uint32_t row = first_inside(top, 1, batch->in_rows), end_row = end_inside(top, 1, batch->in_rows, job->H);
  const uint32_t first = first_inside(left, 1, batch->width), end = end_inside(left, 1, batch->width, job->W);
  const size_t plane = (size_t)job->H * job->W;
  const dla_x* x = job->x + batch->channel * plane + (top + row) * job->W + left + first;
  to += (size_t)row * batch->width + first;
  for (uint32_t c = 0; c < batch->channels && first < end; ++c) {
    for (uint32_t i = 0; row + i < end_row; ++i) {
      copy_row(x + (size_t)i * job->W, job->zero_point, end - first, to + (size_t)i * batch->width);
    }
    x += plane;
    to += (size_t)batch->in_rows * batch->width;
  }
}

/// kRowBlocks blocks of sums.
static inline __attribute__((always_inline)) void multiply_row_blocks(
    const dla_sum* restrict x, const uint32_t* restrict from, const uint32_t* restrict place, uint32_t taps,
    const dla_weight* restrict weights, const uint32_t* restrict to, dla_total* restrict sums) {
  _Alignas(64) dla_sum sum[kRowBlocks][kBlock];
  const dla_sum* const at[kRowBlocks] = {x + from[0], x + from[1], x + from[2], x + from[3]};
  for (uint32_t i = 0; i < kRowBlocks; ++i) {
    const dla_sum weight = (dla_sum)weights[0];
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      sum[i][p] = weight * at[i][p];
    }
  }
  for (uint32_t k = 1; k < taps; ++k) {
    const dla_sum weight = (dla_sum)weights[k];
    for (uint32_t i = 0; i < kRowBlocks; ++i) {
      const dla_sum* restrict tap = at[i] + place[k];
      DLA_VECTOR_LOOP
      for (uint32_t p = 0; p < kBlock; ++p) {
        sum[i][p] += weight * tap[p];
      }
    }
  }
  for (uint32_t i = 0; i < kRowBlocks; ++i) {
    dla_total* restrict block = sums + to[i];
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      block[p] = add_sum(0, sum[i][p]);
    }
  }
}

/// A block of three neighbouring rows of sums under a 3x3 window that moves `down` rows, 1 or 2: what lies under it of
/// the ifmap is read once for all three.
static inline __attribute__((always_inline)) void multiply_three_rows(const dla_sum* restrict x, size_t width,
                                                                      uint32_t down, const dla_weight* restrict weights,
                                                                      dla_total* restrict sums, size_t run) {
  _Alignas(64) dla_sum sum[3][kBlock];
#pragma GCC unroll 7
  for (uint32_t y = 0; y < 3 + 2 * down; ++y) {
#pragma GCC unroll 3
    for (uint32_t s = 0; s < 3; ++s) {
      const dla_sum* restrict at = x + y * width + s;
#pragma GCC unroll 3
      for (uint32_t e = 0; e < 3; ++e) {
        if (y < e * down || y > e * down + 2) {
          continue;
        }
        const dla_sum weight = (dla_sum)weights[(y - e * down) * 3 + s];
        if (y == e * down && s == 0) {
          DLA_VECTOR_LOOP
          for (uint32_t p = 0; p < kBlock; ++p) {
            sum[e][p] = weight * at[p];
          }
        } else {
          DLA_VECTOR_LOOP
          for (uint32_t p = 0; p < kBlock; ++p) {
            sum[e][p] += weight * at[p];
          }
        }
      }
    }
  }
#pragma GCC unroll 3
  for (uint32_t e = 0; e < 3; ++e) {
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      sums[e * run + p] = add_sum(0, sum[e][p]);
    }
  }
}

/// multiply_three_rows() for all rows of a channel.
static inline __attribute__((always_inline)) void multiply_by_rows(const struct batch* batch, const dla_sum* x,
                                                                   uint32_t down, const dla_weight* weights,
                                                                   dla_total* sums) {
  for (uint32_t e = 0; e < batch->rows; e += 3) {
    e = lesser(e, batch->rows - 3);
    for (uint32_t f = 0; f < batch->run; f += kBlock) {
      const uint32_t first = batch->run < kBlock ? 0 : lesser(f, batch->run - kBlock);
      multiply_three_rows(x + e * down * batch->width + first, batch->width, down, weights,
                          sums + e * batch->run + first, batch->run);
    }
  }
}

/// The batch's sums, rows end to end.
DLA_WIDEST_VECTORS static void multiply_batch(const struct band_job* job, const struct batch* batch, const dla_sum* x,
                                              const uint32_t* place, dla_total* sums) {
  const struct dla_window* w = &job->conv->window;
  const dla_weight* weights = job->filter + (size_t)batch->channel * job->taps;
  const bool is_by_rows = w->kernel[0] == 3 && w->kernel[1] == 3 && w->dilations[0] == 1 && w->dilations[1] == 1 &&
                          w->strides[0] <= 2 && batch->rows >= 3;
  for (uint32_t c = 0; c < batch->channels; ++c) {
    if (is_by_rows && w->strides[0] == 1) {
      multiply_by_rows(batch, x, 1, weights, sums);
    } else if (is_by_rows) {
      multiply_by_rows(batch, x, 2, weights, sums);
    } else {
      for (uint32_t i = 0; i < batch->blocks; i += kRowBlocks) {
        multiply_row_blocks(x, batch->from + i, place, job->taps, weights, batch->to + i, sums);
      }
    }
    x += batch->in_rows * batch->width;
    sums += batch->rows * batch->run;
    weights += job->taps;
  }
}

/// to[i] = from[i * step], in whole blocks.
static inline __attribute__((always_inline)) void pick(const dla_total* restrict from, uint32_t step, uint32_t count,
                                                       dla_total* restrict to) {
  for (uint32_t i = 0; i < count; i += kBlock) {
    DLA_VECTOR_LOOP
    for (uint32_t k = 0; k < kBlock; ++k) {
      to[i + k] = from[(size_t)(i + k) * step];
    }
  }
}

/// Leaves out the sums between two steps of the window.
DLA_WIDEST_VECTORS static void pick_batch(const struct band_job* job, const struct batch* batch, const dla_total* sums,
                                          dla_total* to) {
  const uint32_t step = job->conv->window.strides[1];
  for (uint32_t i = 0; i < batch->channels * batch->rows; ++i) {
    if (step == 2) {
      pick(sums + i * batch->run, 2, job->F, to + i * job->F);
    } else {
      pick(sums + i * batch->run, step, job->F, to + i * job->F);
    }
  }
}

/// Where blocks begin: the last of a row ends with it where there is room, and the last of all are repeated.
static void place_blocks(const struct band_job* job, struct batch* batch) {
  const uint32_t down = job->conv->window.strides[0];
  uint32_t count = 0;
  for (uint32_t e = 0; e < batch->rows; ++e) {
    for (uint32_t f = 0; f < batch->run; f += kBlock, ++count) {
      const uint32_t first = batch->run < kBlock ? 0 : lesser(f, batch->run - kBlock);
      batch->from[count] = e * down * batch->width + first;
      batch->to[count] = e * batch->run + first;
    }
  }
  for (; count % kRowBlocks != 0; ++count) {
    batch->from[count] = batch->from[count - 1];
    batch->to[count] = batch->to[count - 1];
  }
  batch->blocks = count;
}

/// Convolves. \return false, having done nothing, where it isn't one filter a channel, or rows are too long.
static bool convolve_depthwise(struct band_job* job) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  job->E = dla_window_positions(w, 0, job->H = conv->H);
  job->F = dla_window_positions(w, 1, job->W = conv->W);
  job->taps = w->kernel[0] * w->kernel[1];
  const uint64_t high = (uint64_t)(w->kernel[0] - 1) * w->dilations[0] + 1;
  const uint64_t run = (uint64_t)(job->F - 1) * w->strides[1] + 1;
  const uint64_t width = run + (uint64_t)(w->kernel[1] - 1) * w->dilations[1];
  if (conv->groups != conv->C || conv->M != conv->C || job->taps > kBandTaps || high > kBandNumbers ||
      width * high > kBandNumbers || run > kMostBlocks * kBlock) {
    return false;
  }
  struct band band;
  struct batch batch = {.width = (uint32_t)width, .run = (uint32_t)run};
  dla_total* const sums = band.acc[0];
  const uint32_t most_sums = kBandFilters * kBandRow / 2 - 2 * kBlock;
  uint32_t rows = lesser(job->E, (kBandNumbers / batch.width - (uint32_t)high) / w->strides[0] + 1);
  rows = lesser(rows, lesser(most_sums / batch.run, kMostBlocks / ((batch.run + kBlock - 1) / kBlock)));
  for (uint32_t k = 0; k < job->taps; ++k) {
    band.place[k] = k / w->kernel[1] * w->dilations[0] * batch.width + k % w->kernel[1] * w->dilations[1];
  }
  for (batch.row = 0; batch.row < job->E; batch.row += rows) {
    batch.rows = lesser(job->E - batch.row, rows);
    batch.in_rows = (batch.rows - 1) * w->strides[0] + (uint32_t)high;
    const uint32_t most = lesser(kBandNumbers / (batch.in_rows * batch.width), most_sums / (batch.rows * batch.run));
    place_blocks(job, &batch);
    const uint32_t numbers = lesser(most, conv->C) * batch.in_rows * batch.width;
    __builtin_memset(band.x, 0, (numbers + 2 * kBlock) * sizeof(dla_sum));
    for (batch.channel = 0; batch.channel < conv->C; batch.channel += most) {
      batch.channels = lesser(conv->C - batch.channel, most);
      copy_batch(job, &batch, band.x);
      multiply_batch(job, &batch, band.x, band.place, sums);
      const dla_total* totals = sums;
      if (batch.run != job->F) {
        pick_batch(job, &batch, sums, sums + most_sums + 2 * kBlock);
        totals = sums + most_sums + 2 * kBlock;
      }
      const uint32_t count = batch.rows * job->F;
      for (uint32_t c = 0; c < batch.channels; ++c) {
        const uint32_t m = batch.channel + c;
        const uint32_t first = batch.row * job->F;
        finish(job->context, m, first, count, totals + c * count, job->y + (size_t)m * job->E * job->F + first);
      }
    }
  }
  return true;
}
