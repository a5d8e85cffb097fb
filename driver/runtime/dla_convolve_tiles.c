// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution tile by tile: a tile of output pixels gathers its windows as rows of int16, then every filter
/// is a dot product with each row. Padding, strides, dilations and groups concern the gathering alone.
///
/// A few filters are multiplied with a few pixels at a time: what is loaded is used several times, and the sums stay in
/// registers. The compiler makes vectors of it. Where the processor multiplies bytes, windows of whole vectors stay
/// bytes.
#include "dla_convolve_job.h"

enum {
  kPixels = 24,  ///< Output pixels a tile: with pooling, six outputs of four, or two of nine.
#ifdef DLA_SMALL_TILES
  kTaps = 72,     ///< Taps gathered at a time, as of 8 channels under 3 x 3: a longer window takes several slices.
  kFilters = 16,  ///< Filters that share what was gathered.
#else
  kTaps = 576,
  kFilters = 384,
#endif
  kBlockFilters = 4,  ///< Filters
  kBlockPixels = 2,   ///< and pixels that are multiplied at a time,
  kBytePixels = 4,    ///< as bytes more of them,
  kWholeTaps = 32,    ///< what is left of a filter behind so many taps is filled up with weights of 0,
  kByteTaps = 64,     ///< where filters are so many at a time long: what is left over takes too long.
};

/// Working memory: 27 KiB of patches, or 3, stay in the first-level cache while all filters read them.
struct tile {
  union {
    _Alignas(64) int16_t patch[kPixels][kTaps];
    _Alignas(64) uint8_t bytes[kPixels][2 * kTaps];
  };
  _Alignas(64) uint8_t ones[2 * kTaps];
  _Alignas(64) int16_t weights[kBlockFilters][kTaps];
  uint32_t acc[kFilters][kPixels];
  uint32_t first, pixels;  ///< Which output pixels.
  bool has_bytes;
};

/// What is gathered at a time: of some channels of a group all taps of the window, or of one channel some.
struct slice {
  uint32_t channel, channels, tap, taps;
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// The row or column, of `count`, that is nearest to one which has `before` rows or columns of padding before it.
static uint32_t inside(uint32_t padded, uint32_t before, uint32_t count) {
  return padded < before ? 0 : least(padded - before, count - 1);
}

/// Pixels of an output: those of a pool's window.
static uint32_t pixels_of_output(const struct dla_job* job) {
  const uint32_t size = dla_pooling_size(&job->conv->pooling);
  return job->conv->pool ? size * size : 1;
}

/// Row and column before pooling of output pixel `index`; with pooling, so many in a row are one output's window. A
/// pixel of the pool's padding is the nearest that is none, which is in the window as well.
static void place_pixel(const struct dla_job* job, uint32_t index, uint32_t* e, uint32_t* f) {
  const struct dla_pooling* pool = &job->conv->pooling;
  if (!job->conv->pool) {
    *e = index / job->cols;
    *f = index % job->cols;
    return;
  }
  const uint32_t size = dla_pooling_size(pool), stride = dla_pooling_stride(pool);
  const uint32_t output = index / (size * size), corner = index % (size * size);
  *e = inside(output / job->cols * stride + corner / size, pool->pads[0], job->unpooled_rows);
  *f = inside(output % job->cols * stride + corner % size, pool->pads[1], job->unpooled_cols);
}

/// Taps that fit a slice: bytes take half the room of numbers.
static uint32_t most_taps(const struct tile* tile) { return tile->has_bytes ? 2 * kTaps : kTaps; }

static struct slice first_slice(const struct dla_job* job, const struct tile* tile) {
  const uint32_t most = most_taps(tile), channels = job->window < most ? most / job->window : 1;
  return (struct slice){.channels = least(channels, job->channels), .taps = least(job->window, most)};
}

static void next_slice(const struct dla_job* job, const struct tile* tile, struct slice* slice) {
  slice->tap += slice->taps;
  if (slice->tap == job->window) {
    slice->tap = 0;
    slice->channel += slice->channels;
  }
  slice->taps = least(job->window - slice->tap, most_taps(tile));
  slice->channels = least(job->channels - slice->channel, slice->channels);
}

/// Pixel `i`'s part of a slice, [channels][taps]: minus the zero point, 0 in the padding; or as bytes, the zero point
/// there. Channels are the inner loop: a tap lies in the padding of all of them or of none.
static void gather_pixel(const struct dla_job* job, uint32_t group, uint32_t i, const struct slice* slice,
                         struct tile* tile) {
  const struct dla_convolution* conv = job->conv;
  const struct dla_window* w = &conv->window;
  const size_t plane = (size_t)conv->H * conv->W;
  const uint8_t* ifmap = job->ifmap + ((size_t)group * job->channels + slice->channel) * plane;
  uint32_t e = 0, f = 0;
  place_pixel(job, tile->first + i, &e, &f);
  const int64_t top = (int64_t)e * w->strides[0] - w->pads[0];
  const int64_t left = (int64_t)f * w->strides[1] - w->pads[1];
  uint32_t r = slice->tap / w->kernel[1], s = slice->tap % w->kernel[1];
  for (uint32_t tap = 0; tap < slice->taps; ++tap) {
    const int64_t y = top + (int64_t)r * w->dilations[0], x = left + (int64_t)s * w->dilations[1];
    const bool is_inside = y >= 0 && y < conv->H && x >= 0 && x < conv->W;
    const uint8_t zero_point = conv->quant.ifmap_zero_point;
    const uint8_t* from = is_inside ? ifmap + y * conv->W + x : &zero_point;
    const size_t step = is_inside ? plane : 0;
    for (uint32_t c = 0; c < slice->channels; ++c) {
      const size_t at = (size_t)c * slice->taps + tap;
      if (tile->has_bytes) {
        tile->bytes[i][at] = from[c * step];
      } else {
        tile->patch[i][at] = (int16_t)(from[c * step] - zero_point);
      }
    }
    s = s + 1 == w->kernel[1] ? 0 : s + 1;
    r += s == 0 ? 1 : 0;
  }
}

/// acc[m][i] += weights[m] . patch[i] for a block. At most kTaps products of 255 * 128 fit an int32.
static inline void multiply_block(int16_t weights[][kTaps], int16_t patch[][kTaps], uint32_t taps,
                                  uint32_t acc[][kPixels], uint32_t pixel) {
  int32_t sum[kBlockFilters][kBlockPixels] = {{0}};
  for (uint32_t k = 0; k < taps; ++k) {
    for (uint32_t m = 0; m < kBlockFilters; ++m) {
      for (uint32_t i = 0; i < kBlockPixels; ++i) {
        sum[m][i] += weights[m][k] * patch[pixel + i][k];
      }
    }
  }
  for (uint32_t m = 0; m < kBlockFilters; ++m) {
    for (uint32_t i = 0; i < kBlockPixels; ++i) {
      acc[m][pixel + i] += (uint32_t)sum[m][i];
    }
  }
}

/// Multiplies `taps` taps of `filters` filters, the first of them at `filter`, with what was gathered for the tile. A
/// last, partial block multiplies what is there: sums that nobody reads.
DLA_WIDEST_VECTORS static void multiply_tile(const struct dla_job* job, struct tile* tile, const int8_t* filter,
                                             uint32_t filters, uint32_t taps) {
  const uint32_t end = least((taps + kWholeTaps - 1) / kWholeTaps * kWholeTaps, kTaps);
  for (uint32_t m = 0; m < filters; m += kBlockFilters) {
    for (uint32_t i = 0; i < kBlockFilters && m + i < filters; ++i) {
      const int8_t* row = filter + (size_t)(m + i) * job->taps;
      for (uint32_t k = 0; k < taps; ++k) {
        tile->weights[i][k] = (int16_t)row[k];
      }
      for (uint32_t k = taps; k < end; ++k) {
        tile->weights[i][k] = 0;
      }
    }
    for (uint32_t i = 0; i < tile->pixels; i += kBlockPixels) {
      multiply_block(tile->weights, tile->patch, end, tile->acc + m, i);
    }
  }
}

/// Adds products of bytes, minus what the zero point adds to them: its product with the sum of the weights, which is a
/// product with bytes of 1. Of a last, partial block of filters, the last is multiplied again.
DLA_BYTE_PRODUCTS static void multiply_bytes(const struct dla_job* job, struct tile* tile, const int8_t* filter,
                                             uint32_t filters, uint32_t taps) {
  const uint32_t zero_point = job->conv->quant.ifmap_zero_point;
  for (uint32_t m = 0; m < filters; m += kBlockFilters) {
    const int8_t* row[kBlockFilters];
    int32_t ones[kBlockFilters] = {0};
    for (uint32_t i = 0; i < kBlockFilters; ++i) {
      row[i] = filter + (size_t)least(m + i, filters - 1) * job->taps;
    }
    for (uint32_t k = 0; k < taps; ++k) {
      for (uint32_t j = 0; j < kBlockFilters; ++j) {
        ones[j] += row[j][k] * tile->ones[k];
      }
    }
    for (uint32_t i = 0; i < tile->pixels; i += kBytePixels) {
      int32_t sum[kBlockFilters][kBytePixels] = {{0}};
      for (uint32_t k = 0; k < taps; ++k) {
        for (uint32_t j = 0; j < kBlockFilters; ++j) {
          for (uint32_t p = 0; p < kBytePixels; ++p) {
            sum[j][p] += row[j][k] * tile->bytes[i + p][k];
          }
        }
      }
      for (uint32_t j = 0; j < kBlockFilters; ++j) {
        for (uint32_t p = 0; p < kBytePixels; ++p) {
          tile->acc[m + j][i + p] += (uint32_t)sum[j][p] - zero_point * (uint32_t)ones[j];
        }
      }
    }
  }
}

static int32_t max_of(const uint32_t* acc, uint32_t count) {
  int32_t best = (int32_t)acc[0];
  for (uint32_t i = 1; i < count; ++i) {
    best = (int32_t)acc[i] > best ? (int32_t)acc[i] : best;
  }
  return best;
}

/// Pools and stores what was accumulated for filter `m`.
static void store(const struct dla_job* job, const struct tile* tile, uint32_t m, const uint32_t* acc) {
  const uint32_t step = pixels_of_output(job), outputs = tile->pixels / step;
  int32_t values[kPixels];
  for (uint32_t i = 0; i < outputs; ++i) {
    values[i] = max_of(acc + (size_t)i * step, step);
  }
  dla_requantize_all(job->conv, m, outputs, values,
                     job->ofmap + (size_t)m * job->rows * job->cols + tile->first / step);
}

static void convolve_filters(const struct dla_job* job, struct tile* tile, uint32_t group, uint32_t m0,
                             uint32_t filters) {
  for (uint32_t m = 0; m < filters; ++m) {
    for (uint32_t i = 0; i < kPixels; ++i) {
      tile->acc[m][i] = (uint32_t)job->bias[m0 + m];
    }
  }
  for (struct slice slice = first_slice(job, tile); slice.channel < job->channels; next_slice(job, tile, &slice)) {
    for (uint32_t i = 0; i < tile->pixels; ++i) {
      gather_pixel(job, group, i, &slice, tile);
    }
    const size_t skipped = (size_t)slice.channel * job->window + slice.tap;
    const int8_t* filter = job->filter + (size_t)m0 * job->taps + skipped;
    (tile->has_bytes ? multiply_bytes : multiply_tile)(job, tile, filter, filters, slice.channels * slice.taps);
  }
  for (uint32_t m = 0; m < filters; ++m) {
    store(job, tile, m0 + m, tile->acc[m]);
  }
}

void dla_convolve_tiles(const struct dla_job* job) {
  const uint32_t step = pixels_of_output(job), all_pixels = job->rows * job->cols * step;
  const uint32_t most = kPixels / step * step;
  struct tile tile = {.first = 0};  // What a partial tile or block multiplies besides must hold taps, not chance.
  tile.has_bytes = job->taps % kByteTaps == 0 && DLA_HAS_BYTE_PRODUCTS();
  for (uint32_t k = 0; tile.has_bytes && k < 2 * kTaps; ++k) {
    tile.ones[k] = 1;
  }
  for (; tile.first < all_pixels; tile.first += most) {
    tile.pixels = least(all_pixels - tile.first, most);
    for (uint32_t group = 0; group < job->conv->groups; ++group) {
      for (uint32_t m = 0; m < job->filters; m += kFilters) {
        const uint32_t filters = job->filters - m < kFilters ? job->filters - m : kFilters;
        convolve_filters(job, &tile, group, group * job->filters + m, filters);
      }
    }
  }
}
