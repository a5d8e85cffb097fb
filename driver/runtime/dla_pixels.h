// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolution by 1x1 filters that moves by single pixels: a product of two float matrices, of which the ifmap's is
/// read where it lies. Included behind dla_bands.h, whose types and finish() it takes.
///
/// Pixels go in pieces, of which all channels stay in the nearest cache; filters go eight at a time. A block is kBlock
/// neighbours; the last of a piece ends with it, so that nothing behind the ifmap is read. Each sum adds its taps in
/// their order.
#pragma once

#include "dla_bands.h"

enum {
  kPieceBlocks = kBandPositions / kBlock,  ///< At most.
};

struct piece {
  const dla_x* x;  ///< Of the first channel; a channel every `plane` numbers.
  size_t plane;
  uint32_t blocks, first[kPieceBlocks + 4];  ///< Where each block begins; the last is there once more and again.
  uint32_t channels;
};

/// Sums of `filters` filters and `blocks` blocks, constants whose product is at most kBlockSums.
static inline __attribute__((always_inline)) void multiply_pixels(const struct piece* piece, uint32_t block,
                                                                  const dla_weight* restrict weights,
                                                                  dla_total (*restrict sums)[kBandRow],
                                                                  uint32_t filters, uint32_t blocks) {
  _Alignas(64) dla_sum sum[kBlockSums][kBlock];
  const size_t channels = piece->channels, plane = piece->plane;
  const dla_x* at[4];
  for (uint32_t b = 0; b < blocks; ++b) {
    at[b] = piece->x + piece->first[block + b];
  }
  for (uint32_t i = 0; i < filters * blocks; ++i) {
    const dla_sum weight = weights[i / blocks * channels];
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      sum[i][p] = weight * at[i % blocks][p];
    }
  }
  for (size_t c = 1; c < channels; ++c) {
    for (uint32_t i = 0; i < filters * blocks; ++i) {
      const dla_x* restrict x = at[i % blocks] + c * plane;
      const dla_sum weight = weights[i / blocks * channels + c];
      DLA_VECTOR_LOOP
      for (uint32_t p = 0; p < kBlock; ++p) {
        sum[i][p] += weight * x[p];
      }
    }
  }
  for (uint32_t i = 0; i < filters * blocks; ++i) {
    dla_total* restrict to = sums[i / blocks] + piece->first[block + i % blocks];
    DLA_VECTOR_LOOP
    for (uint32_t p = 0; p < kBlock; ++p) {
      to[p] = add_sum(0, sum[i][p]);
    }
  }
}

/// Sums of a piece and of `filters` filters.
DLA_WIDEST_VECTORS static void multiply_piece(const struct piece* piece, const dla_weight* weights, uint32_t filters,
                                              dla_total (*sums)[kBandRow]) {
  const size_t row = piece->channels;
  uint32_t f = 0;
  for (; f + 8 <= filters; f += 8) {
    uint32_t block = 0;
    for (; block + 2 <= piece->blocks; block += 2) {
      multiply_pixels(piece, block, weights + f * row, sums + f, 4, 2);
      multiply_pixels(piece, block, weights + (f + 4) * row, sums + f + 4, 4, 2);
    }
    if (block < piece->blocks) {
      multiply_pixels(piece, block, weights + f * row, sums + f, 8, 1);
    }
  }
  for (; f < filters; ++f) {
    for (uint32_t block = 0; block < piece->blocks; block += 4) {
      multiply_pixels(piece, block, weights + f * row, sums + f, 1, 4);
    }
  }
}

/// Where the blocks of `count` pixels begin.
static void place_pixels(struct piece* piece, uint32_t count) {
  piece->blocks = (count + kBlock - 1) / kBlock;
  for (uint32_t i = 0; i < piece->blocks + 3; ++i) {
    piece->first[i] = count < kBlock ? 0 : lesser(i * kBlock, count - kBlock);
  }
}

/// Convolves. \return false, having done nothing, where the window is larger or moves in steps.
static bool convolve_pixels(const struct band_job* job) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  const uint32_t channels = conv->C / conv->groups, filters = conv->M / conv->groups, pixels = conv->H * conv->W;
  const bool is_short = pixels < kBlock;
  if ((w->kernel[0] | w->kernel[1] | w->strides[0] | w->strides[1]) != 1 ||
      (w->pads[0] | w->pads[1] | w->pads[2] | w->pads[3]) != 0 || (is_short && channels > kBandNumbers / kBlock)) {
    return false;
  }
  struct band band;
  struct piece piece = {.channels = channels, .plane = is_short ? kBlock : pixels};
  uint32_t most = lesser(kBandPositions, kBandNumbers / channels / kBlock * kBlock);
  most = most < 2 * kBlock ? 2 * kBlock : most;
  if (is_short) {
    __builtin_memset(band.x, 0, (size_t)channels * kBlock * sizeof(dla_sum));
  }
  for (uint32_t group = 0; group < conv->groups; ++group) {
    const dla_x* x = job->x + (size_t)group * channels * pixels;
    for (uint32_t c = 0; is_short && c < channels; ++c) {
      for (uint32_t i = 0; i < pixels; ++i) {
        band.x[c * kBlock + i] = x[c * pixels + i];
      }
    }
    for (uint32_t pixel = 0; pixel < pixels; pixel += most) {
      const uint32_t count = lesser(pixels - pixel, most);
      const uint32_t back = is_short || count >= kBlock ? 0 : kBlock - count;  // So that it is a block.
      piece.x = is_short ? band.x : x + pixel - back;
      place_pixels(&piece, count + back);
      for (uint32_t m = 0; m < filters; m += kBandFilters) {
        const uint32_t m0 = group * filters + m, some = lesser(filters - m, kBandFilters);
        multiply_piece(&piece, job->filter + (size_t)m0 * channels, some, band.acc);
        for (uint32_t f = 0; f < some; ++f) {
          finish(job->context, m0 + f, pixel, count, band.acc[f] + back, job->y + (size_t)(m0 + f) * pixels + pixel);
        }
      }
    }
  }
  return true;
}
