// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution by products of bytes, where the processor multiplies four of them at a time and adds them to
/// a lane of a vector (AVX-512 VNNI), and brings the bytes of a vector into any order (VBMI).
///
/// A lane is an output position, and its word is four taps of the position's window. The ifmap is copied as bytes band
/// by band with the padding, as in dla_bands.h: where the word of one position begins, those of its neighbours follow.
/// Padding is the zero point: what it subtracts from a filter's sum is then its product with the filter's weights
/// everywhere. Two ways lead from there to words:
/// - Dense: four taps at a time, in the order that weights have, are gathered for a tile of positions. Words of weights
///   are read as they lie, and all filters share what was gathered.
/// - Depthwise: a word is a piece of a row of the window, so that a load and a permutation bring it for all lanes.
///
/// No compiler finds these instructions in loops, hence intrinsics. Other processors have dla_convolve()'s other ways.
#include "dla_convolve_job.h"

#ifdef DLA_WORD_PRODUCTS
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline)) DLA_WORD_PRODUCTS

enum {
  kLanes = 16,          ///< Words in a vector.
  kTile = 2 * kLanes,   ///< Positions whose words are gathered,
  kTileWords = 144,     ///< so many of each at a time: 18 KiB stay in the first-level cache for all filters.
  kTogether = 8,        ///< Filters that are multiplied with them at a time: their sums stay in registers.
  kTileFilters = 256,   ///< Filters that share what was gathered.
  kMostTaps = 4608,     ///< Of a filter.
  kStep = 4 * kLanes,   ///< Positions of a depthwise convolution at a time,
  kMostSteps = 40,      ///< so many times a band.
  kFewFilters = 4,      ///< Of a channel: fewer are worth no gathering.
  kBandBytes = 1 << 15  ///< Copied at a time.
};

/// A band: some rows of the ofmap, or a piece of one; and how its copy is laid out, which is a plane for each remainder
/// that taps have in rows and columns of strides.
struct band {
  uint32_t row, column, rows, columns;
  uint32_t pitch;      ///< Positions from row to row,
  uint32_t positions;  ///< and in all of them: those between two rows are computed along and not kept.
  uint32_t plane;      ///< Bytes of a plane,
  uint32_t channel;    ///< and of all planes.
};

/// Which of the positions of a tile or step are kept.
struct kept {
  _Alignas(64) uint8_t order[kStep];
  uint64_t mask;   ///< As many ones as are kept.
  uint32_t first;  ///< How many are kept before.
};

/// A convolution, and what is derived from it once.
struct words {
  const struct dla_job* job;
  bool is_depthwise, is_whole;  ///< Whole: all positions are one row of bytes as they lie; nothing is copied.
  uint32_t rows, columns;       ///< Of the ofmap.
  uint32_t reach[2];            ///< Rows and columns that a plane has more than the band.
  uint32_t planes[2];           ///< Remainders of rows and of columns.
  uint32_t right;               ///< Columns of the ifmap from byte to byte of a row that was copied,
  uint32_t step;                ///< and bytes from position to position.
  struct band band;
  _Alignas(64) uint8_t order[2][64];  ///< How what is loaded becomes words.
  uint32_t place[kMostTaps];          ///< Of each tap or word, for the first position.
  int32_t start[kTileFilters];        ///< Biases, less what the zero point adds.
  _Alignas(64) uint8_t x[kBandBytes + 5 * kStep];
  _Alignas(64) __m512i tile[kTileWords][2];
  _Alignas(64) int32_t sums[kTileFilters][kTile];
  _Alignas(64) uint8_t y[kMostSteps][kStep];
  struct kept kept[kMostSteps];
};

static inline uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }
static inline uint64_t ones(uint32_t count) { return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1; }

/// Bytes of a channel that a band of so many rows and columns needs.
static uint64_t bytes_of(const struct words* words, uint64_t rows, uint64_t columns) {
  return (rows + words->reach[0]) * (columns + words->reach[1]) * words->step * words->planes[0] * words->planes[1];
}

static bool fits(const struct words* words, uint64_t rows, uint64_t columns) {
  const uint64_t channels = words->is_depthwise ? 1 : words->job->channels;
  return bytes_of(words, rows, columns) <= kBandBytes / channels &&
         (!words->is_depthwise || rows * (columns + words->reach[1]) <= kMostSteps * kStep);
}

/// Chooses how many rows and columns bands have. \return false where a window alone has too many bytes.
static bool choose_band(const struct words* words, uint32_t* rows, uint32_t* columns) {
  *rows = 1;
  *columns = words->columns;
  if (words->is_whole) {
    return true;
  }
  while (*columns > 1 && !fits(words, 1, *columns)) {
    *columns = (*columns + 1) / 2;
  }
  while (*columns == words->columns && *rows < words->rows && fits(words, *rows + 1, *columns)) {
    ++*rows;
  }
  const uint32_t bands = (words->rows + *rows - 1) / *rows;
  *rows = (words->rows + bands - 1) / bands;
  return fits(words, *rows, *columns);
}

/// Which of the `count` positions from `position` on are kept.
INLINE void keep(const struct band* band, uint32_t position, uint32_t count, struct kept* kept) {
  uint64_t mask = 0;
  uint8_t all[kStep];
  for (uint32_t i = 0; i < kStep; ++i) {
    all[i] = (uint8_t)i;
  }
  const uint32_t row = position / band->pitch, column = position % band->pitch;
  int64_t start = -(int64_t)column;
  for (uint32_t i = row; i < band->rows && start < count; ++i, start += band->pitch) {
    const int64_t end = start + band->columns;
    mask |= end <= 0 ? 0 : ones(least((uint64_t)end, count)) & ~ones(start < 0 ? 0 : (uint32_t)start);
  }
  kept->mask = ones((uint32_t)__builtin_popcountll(mask));
  kept->first = row * band->columns + least(column, band->columns);
  _mm512_store_si512(kept->order, _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(all)));
}

/// Stores those outputs of filter `m` that are kept. Outputs that were just written as several vectors would be waited
/// for: others are computed between.
INLINE void store(const struct words* words, uint32_t m, const struct kept* kept, const uint8_t* y) {
  const struct band* band = &words->band;
  uint8_t* to = words->job->ofmap + ((size_t)m * words->rows + band->row) * words->columns + band->column + kept->first;
  const __m512i order = _mm512_load_si512(kept->order);
  _mm512_mask_storeu_epi8(to, kept->mask, _mm512_permutexvar_epi8(order, _mm512_load_si512(y)));
}

/// The bias of filter `m`, less what the zero point adds to its sum.
INLINE int32_t start_of(const struct dla_job* job, uint32_t m) {
  const int8_t* filter = job->filter + (size_t)m * job->taps;
  __m512i sum = _mm512_setzero_si512();
  for (uint32_t k = 0; k < job->taps; k += 64) {
    const __m512i weights = _mm512_maskz_loadu_epi8(ones(job->taps - k), filter + k);
    sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), weights);
  }
  return (int32_t)((uint32_t)job->bias[m] - job->conv->quant.ifmap_zero_point * (uint32_t)_mm512_reduce_add_epi32(sum));
}

/// Copies `count` bytes that lie `step` apart.
INLINE void copy_bytes(const uint8_t* from, uint32_t step, uint32_t count, uint8_t* to) {
  for (uint32_t i = 0; step == 1 && i < count; i += 64) {
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
INLINE void copy_channel(const struct words* words, const uint8_t* channel, uint8_t* to) {
  const struct dla_convolution* conv = words->job->conv;
  const struct band* band = &words->band;
  const uint32_t down = conv->window.strides[0], right = words->right;
  const uint32_t rows = band->rows + words->reach[0], width = band->pitch * words->step;
  for (uint32_t py = 0; py < words->planes[0]; ++py) {
    const int64_t top = (int64_t)band->row * down + py - conv->window.pads[0];
    const uint32_t row = first_inside(top, down, rows), end_row = end_inside(top, down, rows, conv->H);
    for (uint32_t px = 0; px < words->planes[1]; ++px, to += band->plane) {
      const int64_t left = (int64_t)band->column * conv->window.strides[1] + px - conv->window.pads[1];
      const uint32_t first = first_inside(left, right, width), end = end_inside(left, right, width, conv->W);
      for (uint32_t i = row; i < end_row && first < end; ++i) {
        const uint8_t* from = channel + (top + (int64_t)i * down) * conv->W + left + (int64_t)first * right;
        copy_bytes(from, right, end - first, to + (size_t)i * width + first);
      }
    }
  }
}

/// Where a channel's tap at row r and column s of the window lies in its copy, for the first position.
static inline uint32_t place_of(const struct words* words, uint32_t r, uint32_t s) {
  const struct dla_window* w = &words->job->conv->window;
  const uint32_t y = r * w->dilations[0], x = s * w->dilations[1], down = w->strides[0], right = words->right;
  return (y % down * words->planes[1] + x % right) * words->band.plane + y / down * words->band.pitch * words->step +
         x / right;
}

/// Places all taps, in the order that weights have.
static void place_taps(struct words* words) {
  const struct dla_window* w = &words->job->conv->window;
  uint32_t* place = words->place;
  for (uint32_t c = 0; c < words->job->channels; ++c) {
    for (uint32_t r = 0; r < w->kernel[0]; ++r) {
      for (uint32_t s = 0; s < w->kernel[1]; ++s) {
        *place++ = c * words->band.channel + place_of(words, r, s);
      }
    }
  }
}

/// Places the first taps of all words of a depthwise window. \return how many there are.
static uint32_t place_rows(struct words* words) {
  const struct dla_window* w = &words->job->conv->window;
  uint32_t count = 0;
  for (uint32_t r = 0; r < w->kernel[0]; ++r) {
    for (uint32_t s = 0; s < w->kernel[1]; s += 4) {
      words->place[count++] = place_of(words, r, s);
    }
  }
  return count;
}

/// Gathers `taps` taps from tap `first` on for the tile whose first position is at x, where those of `mask` may be
/// read. A last word has 0 instead of taps that there are none of.
INLINE void gather(struct words* words, const uint8_t* x, uint32_t mask, uint32_t first, uint32_t taps) {
  const __m512i low = _mm512_load_si512(words->order[0]), high = _mm512_load_si512(words->order[1]);
  for (uint32_t k = 0; k < taps; k += 4) {
    const uint32_t* place = words->place + first + k;
    const uint32_t last = least(taps - k, 4) - 1;
    const __m256i a = _mm256_maskz_loadu_epi8(mask, x + place[0]);
    const __m256i b = _mm256_maskz_loadu_epi8(last >= 1 ? mask : 0, x + place[least(1, last)]);
    const __m256i c = _mm256_maskz_loadu_epi8(last >= 2 ? mask : 0, x + place[least(2, last)]);
    const __m256i d = _mm256_maskz_loadu_epi8(last >= 3 ? mask : 0, x + place[last]);
    const __m512i ab = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    const __m512i cd = _mm512_inserti64x4(_mm512_castsi256_si512(c), d, 1);
    words->tile[k / 4][0] = _mm512_permutex2var_epi8(ab, low, cd);
    words->tile[k / 4][1] = _mm512_permutex2var_epi8(ab, high, cd);
  }
}

/// `count` bytes, at most 4, of which the rest is 0.
INLINE __m512i weights_at(const int8_t* from, uint32_t count) {
  uint32_t word = 0;
  __builtin_memcpy(&word, from, count);
  return _mm512_set1_epi32((int32_t)word);
}

/// sum[j] += filter[j] . tile, of a word of `count` taps, a constant.
INLINE void multiply_word(const __m512i* tile, const int8_t* const filter[kTogether], uint32_t tap, uint32_t count,
                          __m512i sum[kTogether][2]) {
#pragma GCC unroll 8
  for (uint32_t j = 0; j < kTogether; ++j) {
    const __m512i weights = weights_at(filter[j] + tap, count);
    sum[j][0] = _mm512_dpbusd_epi32(sum[j][0], tile[0], weights);
    sum[j][1] = _mm512_dpbusd_epi32(sum[j][1], tile[1], weights);
  }
}

/// sum[j] += filter[j] . tile, of `taps` taps.
INLINE void multiply_tile(__m512i (*tile)[2], const int8_t* const filter[kTogether], uint32_t taps,
                          __m512i sum[kTogether][2]) {
  const uint32_t whole = taps / 4 * 4;
  for (uint32_t k = 0; k < whole; k += 4, ++tile) {
    multiply_word(*tile, filter, k, 4, sum);
  }
  switch (taps % 4) {
    case 1:
      multiply_word(*tile, filter, whole, 1, sum);
      break;
    case 2:
      multiply_word(*tile, filter, whole, 2, sum);
      break;
    case 3:
      multiply_word(*tile, filter, whole, 3, sum);
      break;
    default:
      break;
  }
}

/// Multiplies taps from tap `first` on of `filters` filters, of which m0 is the first, with what was gathered. Of a
/// last, partial block of filters the last is multiplied again.
DLA_WORD_PRODUCTS static void multiply_filters(struct words* words, uint32_t m0, uint32_t filters, uint32_t first,
                                               uint32_t taps, const struct kept* kept) {
  const struct dla_job* job = words->job;
  for (uint32_t m = 0; m < filters; m += kTogether) {
    const int8_t* filter[kTogether];
    __m512i sum[kTogether][2];
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kTogether; ++j) {
      const uint32_t f = least(m + j, filters - 1);
      filter[j] = job->filter + (size_t)(m0 + f) * job->taps + first;
      sum[j][0] = first == 0 ? _mm512_set1_epi32(words->start[f]) : _mm512_load_si512(words->sums[f]);
      sum[j][1] = first == 0 ? _mm512_set1_epi32(words->start[f]) : _mm512_load_si512(words->sums[f] + kLanes);
    }
    multiply_tile(words->tile, filter, taps, sum);
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kTogether; ++j) {
      const uint32_t f = least(m + j, filters - 1);
      _mm512_store_si512(words->sums[f], sum[j][0]);
      _mm512_store_si512(words->sums[f] + kLanes, sum[j][1]);
    }
    const uint32_t end = first + taps == job->taps ? least(filters, m + kTogether) : m;
    for (uint32_t f = m; f < end; ++f) {
      dla_requantize_all(job->conv, m0 + f, kTile, words->sums[f], words->y[f - m]);
    }
    for (uint32_t f = m; f < end; ++f) {
      store(words, m0 + f, kept, words->y[f - m]);
    }
  }
}

/// All filters of a band, tile by tile.
DLA_WORD_PRODUCTS static void convolve_dense(struct words* words) {
  const struct dla_job* job = words->job;
  const struct band* band = &words->band;
  const size_t plane = (size_t)job->conv->H * job->conv->W;
  place_taps(words);
  for (uint32_t i = 0; i < 128; ++i) {
    words->order[i / 64][i % 64] = (uint8_t)(i % 4 * kTile + i / 4);
  }
  for (uint32_t group = 0; group < job->conv->groups; ++group) {
    const uint8_t* x = job->ifmap + (size_t)group * job->channels * plane;
    for (uint32_t c = 0; !words->is_whole && c < job->channels; ++c) {
      copy_channel(words, x + c * plane, words->x + (size_t)c * band->channel);
    }
    x = words->is_whole ? x : words->x;
    for (uint32_t m = 0; m < job->filters; m += kTileFilters) {
      const uint32_t filters = least(job->filters - m, kTileFilters), m0 = group * job->filters + m;
      for (uint32_t f = 0; f < filters; ++f) {
        words->start[f] = start_of(job, m0 + f);
      }
      for (uint32_t p = 0; p < band->positions; p += kTile) {
        struct kept kept;
        keep(band, p, kTile, &kept);
        const uint32_t mask = (uint32_t)ones(words->is_whole ? least(band->positions - p, kTile) : kTile);
        for (uint32_t first = 0; first < job->taps; first += 4 * kTileWords) {
          const uint32_t taps = least(job->taps - first, 4 * kTileWords);
          gather(words, x + p, mask, first, taps);
          multiply_filters(words, m0, filters, first, taps, &kept);
        }
      }
    }
  }
}

/// One filter of a band: its windows have `count` words.
INLINE void multiply_rows(struct words* words, uint32_t m, const uint8_t* x, uint32_t count) {
  const struct dla_job* job = words->job;
  const uint32_t step = words->step;
  const __m512i order = _mm512_load_si512(words->order[0]);
  const __m512i start = _mm512_set1_epi32(start_of(job, m));
  const __m512i filter = _mm512_maskz_loadu_epi8(ones(job->taps), job->filter + (size_t)m * job->taps);
  _Alignas(64) int32_t weights[kLanes], sums[kStep];
  const __m512i lanes = _mm512_load_si512(words->order[1]);
  _mm512_store_si512(weights, _mm512_maskz_permutexvar_epi8(_mm512_movepi8_mask(~lanes), lanes, filter));
  for (uint32_t p = 0; p < words->band.positions; p += kStep) {
    __m512i sum[4] = {start, start, start, start};
    for (uint32_t k = 0; k < count; ++k) {
      const uint8_t* at = x + words->place[k] + p * step;
      const __m512i word = _mm512_set1_epi32(weights[k]);
#pragma GCC unroll 4
      for (uint32_t i = 0; i < 4; ++i) {
        const __m512i taps = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(at + i * kLanes * step));
        sum[i] = _mm512_dpbusd_epi32(sum[i], taps, word);
      }
    }
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      _mm512_store_si512(sums + i * kLanes, sum[i]);
    }
    dla_requantize_all(job->conv, m, kStep, sums, words->y[p / kStep]);
  }
  for (uint32_t p = 0; p < words->band.positions; p += kStep) {
    store(words, m, &words->kept[p / kStep], words->y[p / kStep]);
  }
}

/// All filters of a band; as many channels are copied at a time as there is room for.
DLA_WORD_PRODUCTS static void convolve_depthwise(struct words* words) {
  const struct dla_job* job = words->job;
  const struct dla_window* w = &job->conv->window;
  const size_t plane = (size_t)job->conv->H * job->conv->W;
  const uint32_t count = place_rows(words), in_row = (w->kernel[1] + 3) / 4, channel = words->band.channel;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t r = i / 4 / in_row, s = i / 4 % in_row * 4 + i % 4;
    words->order[0][i] = (uint8_t)(i / 4 * words->step + i % 4 * w->dilations[1]);
    words->order[1][i] = (uint8_t)(r < w->kernel[0] && s < w->kernel[1] ? r * w->kernel[1] + s : 0x80);
  }
  for (uint32_t p = 0; p < words->band.positions; p += kStep) {
    keep(&words->band, p, kStep, &words->kept[p / kStep]);
  }
  const uint32_t together = kBandBytes / channel;
  for (uint32_t c0 = 0; c0 < job->conv->groups; c0 += together) {
    const uint32_t end = least(job->conv->groups, (uint64_t)c0 + together);
    for (uint32_t c = c0; c < end; ++c) {
      copy_channel(words, job->ifmap + c * plane, words->x + (size_t)(c - c0) * channel);
    }
    for (uint32_t m = c0 * job->filters; m < end * job->filters; ++m) {
      multiply_rows(words, m, words->x + (size_t)(m / job->filters - c0) * channel, count);
    }
  }
}

/// Whether windows are of one channel, and words of them are in a vector that is loaded.
static bool is_for_rows(const struct dla_job* job) {
  const struct dla_window* w = &job->conv->window;
  return job->channels == 1 && job->filters < kFewFilters && job->taps <= 64 &&
         w->kernel[0] * ((w->kernel[1] + 3) / 4) <= kLanes &&
         (uint64_t)w->strides[1] * (kLanes - 1) + (uint64_t)w->dilations[1] * 3 < 64;
}

/// Derives from the job what words needs. \return false where the convolution doesn't fit.
static bool describe(const struct dla_job* job, struct words* words) {
  const struct dla_window* w = &job->conv->window;
  words->job = job;
  words->rows = job->rows;
  words->columns = job->cols;
  words->is_depthwise = is_for_rows(job);
  words->is_whole = job->window == 1 && w->strides[0] == 1 && w->strides[1] == 1 &&
                    (w->pads[0] | w->pads[1] | w->pads[2] | w->pads[3]) == 0 && !words->is_depthwise;
  words->right = words->is_depthwise ? 1 : w->strides[1];
  words->step = words->is_depthwise ? w->strides[1] : 1;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    words->reach[axis] = least((uint64_t)(w->kernel[axis] - 1) * w->dilations[axis] / w->strides[axis], kBandBytes);
    words->planes[axis] = w->dilations[axis] == 1 ? least(w->kernel[axis], w->strides[axis]) : w->strides[axis];
  }
  if (words->is_depthwise) {
    words->planes[1] = 1;
  }
  if (words->is_whole) {
    words->columns *= words->rows;
    words->rows = 1;
  }
  return job->taps <= kMostTaps && words->planes[0] <= kBandBytes && words->planes[1] <= kBandBytes;
}

bool dla_convolve_bytes(const struct dla_job* job) {
  struct words words;
  uint32_t rows = 0, columns = 0;
  if (!DLA_HAS_WORD_PRODUCTS() || job->conv->pool || job->rows * job->cols == 1 || !describe(job, &words) ||
      !choose_band(&words, &rows, &columns)) {
    return false;
  }
  struct band* band = &words.band;
  for (band->row = 0; band->row < words.rows; band->row += rows) {
    for (band->column = 0; band->column < words.columns; band->column += columns) {
      band->rows = least(words.rows - band->row, rows);
      band->columns = least(words.columns - band->column, columns);
      band->pitch = band->columns + words.reach[1];
      band->positions = (band->rows - 1) * band->pitch + band->columns;
      band->plane = (band->rows + words.reach[0]) * band->pitch * words.step;
      band->channel = band->plane * words.planes[0] * words.planes[1];
      if (words.is_whole) {
        convolve_dense(&words);
        continue;
      }
      const uint32_t channels =
          words.is_depthwise ? least(job->conv->groups, kBandBytes / band->channel) : job->channels;
      const uint32_t end = channels * band->channel;
      __builtin_memset(words.x, job->conv->quant.ifmap_zero_point, end + 5 * kStep);
      (words.is_depthwise ? convolve_depthwise : convolve_dense)(&words);
    }
  }
  return true;
}

#else

bool dla_convolve_bytes(const struct dla_job* job) {
  (void)job;
  return false;
}

#endif
