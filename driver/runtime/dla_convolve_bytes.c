// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution by products of bytes, where the processor multiplies four of them at a time and adds them to
/// a lane of a vector (AVX-512 VNNI), and brings the bytes of a vector into any order (VBMI).
///
/// A lane is an output, and its word is four taps of the output's window. Bands hold the bytes (dla_byte_bands.h), and
/// two ways lead from there to words:
/// - Dense: four taps at a time, in the order that weights have, are gathered for a tile of outputs. Words of weights
///   are read as they lie, and all filters share what was gathered.
/// - Depthwise: a word is a piece of a row of the window, so that a load and a permutation bring it for all lanes.
/// What the zero point subtracts from a sum is its product with the filter's weights, the same everywhere: padding is
/// the zero point too.
///
/// No compiler finds these instructions in loops, hence intrinsics. Other processors have dla_convolve()'s other ways.
#include "dla_convolve_job.h"

#ifdef DLA_WORD_PRODUCTS
#include "dla_byte_bands.h"

enum {
  kLanes = 16,         ///< Words in a vector.
  kTile = 2 * kLanes,  ///< Outputs whose words are gathered,
  kTileWords = 144,    ///< so many of each at a time: 18 KiB stay in the first-level cache for all filters.
  kTogether = 8,       ///< Filters that are multiplied with them at a time: their sums stay in registers.
  kMostTaps = 4608,    ///< Of a filter.
  kStep = 4 * kLanes,  ///< Outputs of a depthwise convolution at a time.
  kFewPerChannel = 4,  ///< Fewer filters than that are worth no gathering.
};

/// Working memory of a convolution.
struct words {
  struct band band;
  uint32_t place[kMostTaps];    ///< Of each tap or word in a band, for the first position.
  int32_t start[kBandFilters];  ///< Biases, less what the zero point adds.
  /// Dense: how bytes become words. Depthwise: the first, how weights do.
  _Alignas(kVector) uint8_t order[2][kVector];
  __m512i tile[kTileWords][2];
  _Alignas(kVector) int32_t sums[kBandFilters][kTile];
  _Alignas(kVector) uint8_t outputs[kBandOutputs];
  __m512i lanes[kBandOutputs / kLanes];   ///< Depthwise: how what is loaded for 16 outputs becomes words,
  uint32_t begin[kBandOutputs / kLanes];  ///< and from where on that is.
};

/// Positions of 16 outputs of a band from `output` on. Quotients are exact: numbers are less than 2^22.
INLINE __m512i positions_of(const struct band* band, uint32_t output) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i index = _mm512_add_epi32(_mm512_set1_epi32((int32_t)output), lane);
  const __m512 middle = _mm512_add_ps(_mm512_cvtepi32_ps(index), _mm512_set1_ps(0.5F));
  const __m512i row = _mm512_cvttps_epi32(_mm512_div_ps(middle, _mm512_set1_ps((float)band->columns)));
  return _mm512_add_epi32(index, _mm512_mullo_epi32(row, _mm512_set1_epi32((int32_t)(band->pitch - band->columns))));
}

/// Position of one.
INLINE uint32_t position_of(const struct band* band, uint32_t output) {
  return output / band->columns * band->pitch + output % band->columns;
}

/// The bias of filter `m`, less what the zero point adds to its sum.
INLINE int32_t start_of(const struct dla_job* job, uint32_t m) {
  const int8_t* filter = job->filter + (size_t)m * job->taps;
  __m512i sum = _mm512_setzero_si512();
  for (uint32_t k = 0; k < job->taps; k += kVector) {
    const __m512i weights = _mm512_maskz_loadu_epi8(ones(job->taps - k), filter + k);
    sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), weights);
  }
  return (int32_t)((uint32_t)job->bias[m] - job->conv->quant.ifmap_zero_point * (uint32_t)_mm512_reduce_add_epi32(sum));
}

/// Places all taps of a group, in the order that weights have.
static void place_taps(struct words* words) {
  const struct dla_window* w = &words->band.job->conv->window;
  uint32_t* place = words->place;
  for (uint32_t c = 0; c < words->band.job->channels; ++c) {
    for (uint32_t r = 0; r < w->kernel[0]; ++r) {
      for (uint32_t s = 0; s < w->kernel[1]; ++s) {
        *place++ = c * words->band.channel + place_of(&words->band, r, s);
      }
    }
  }
}

/// A tile: some outputs.
struct tile {
  uint32_t first, count;
  const uint8_t* x;  ///< For the first of them.
  uint64_t mask;     ///< What may be read from there on.
  __m512i order;     ///< Which bytes of 64 are theirs, and again of 64 others.
};

/// The tile from output `first` on: of as many outputs as have their bytes within a vector.
INLINE struct tile tile_of(const struct band* band, const uint8_t* x, uint32_t first) {
  const uint32_t position = position_of(band, first), left = band->outputs - first;
  const __m512i start = _mm512_set1_epi32((int32_t)position), most = _mm512_set1_epi32(kVector);
  const __m512i low = _mm512_sub_epi32(positions_of(band, first), start);
  const __m512i high = _mm512_sub_epi32(positions_of(band, first + kLanes), start);
  const uint32_t near_low = _mm512_cmplt_epi32_mask(low, most), near_high = _mm512_cmplt_epi32_mask(high, most);
  const __m256i order = _mm256_set_m128i(_mm512_cvtepi32_epi8(high), _mm512_cvtepi32_epi8(low));
  return (struct tile){
      .first = first,
      .count = least(left, (uint32_t)(__builtin_popcount(near_low) + __builtin_popcount(near_high))),
      .x = x + position,
      .mask = ones(band->is_whole ? left : kVector),
      .order = _mm512_inserti64x4(_mm512_castsi256_si512(order), _mm256_or_si256(order, _mm256_set1_epi8(kVector)), 1)};
}

/// Gathers `taps` taps from tap `first` on. A last word has any bytes instead of taps that there are none of.
INLINE void gather(struct words* words, const struct tile* tile, uint32_t first, uint32_t taps) {
  const __m512i low = _mm512_load_si512(words->order[0]), high = _mm512_load_si512(words->order[1]);
  const __m512i order = tile->order;
  for (uint32_t k = 0; k < taps; k += 4) {
    const uint32_t* place = words->place + first + k;
    const uint32_t last = least(taps - k, 4) - 1;
    const __m512i a = _mm512_maskz_loadu_epi8(tile->mask, tile->x + place[0]);
    const __m512i b = _mm512_maskz_loadu_epi8(tile->mask, tile->x + place[least(1, last)]);
    const __m512i c = _mm512_maskz_loadu_epi8(tile->mask, tile->x + place[least(2, last)]);
    const __m512i d = _mm512_maskz_loadu_epi8(tile->mask, tile->x + place[last]);
    const __m512i ab = _mm512_permutex2var_epi8(a, order, b), cd = _mm512_permutex2var_epi8(c, order, d);
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
                                               uint32_t taps, const struct tile* tile) {
  const struct band* band = &words->band;
  const struct dla_job* job = band->job;
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
      dla_requantize_all(job->conv, m0 + f, kTile, words->sums[f], words->outputs + (size_t)(f - m) * kTile);
    }
    for (uint32_t f = m; f < end; ++f) {  // Not at once: bytes just written as several vectors would be waited for.
      copy_bytes(words->outputs + (size_t)(f - m) * kTile, 1, tile->count, band->y + f * band->y_step + tile->first);
    }
  }
}

/// The band's outputs of `filters` filters of a group, of which m0 is the first, tile by tile.
DLA_WORD_PRODUCTS static void convolve_filters(struct words* words, const uint8_t* x, uint32_t m0, uint32_t filters) {
  const struct dla_job* job = words->band.job;
  begin_filters(&words->band, m0);
  for (uint32_t f = 0; f < filters; ++f) {
    words->start[f] = start_of(job, m0 + f);
  }
  for (struct tile tile = {.count = 0}; tile.first + tile.count < words->band.outputs;) {
    tile = tile_of(&words->band, x, tile.first + tile.count);
    for (uint32_t first = 0; first < job->taps; first += 4 * kTileWords) {
      const uint32_t taps = least(job->taps - first, 4 * kTileWords);
      gather(words, &tile, first, taps);
      multiply_filters(words, m0, filters, first, taps, &tile);
    }
  }
  end_filters(&words->band, m0, filters);
}

/// All filters of a band.
DLA_WORD_PRODUCTS static void convolve_dense(struct words* words) {
  struct band* band = &words->band;
  const struct dla_job* job = band->job;
  const size_t plane = (size_t)job->conv->H * job->conv->W;
  place_taps(words);
  for (uint32_t i = 0; i < 2 * kVector; ++i) {
    words->order[i / kVector][i % kVector] = (uint8_t)(i % 4 * kTile + i / 4);
  }
  for (uint32_t group = 0; group < job->conv->groups; ++group) {
    const uint8_t* x = job->ifmap + (size_t)group * job->channels * plane;
    for (uint32_t c = 0; !band->is_whole && c < job->channels; ++c) {
      copy_channel(band, x + c * plane, band->x + (size_t)c * band->channel);
    }
    for (uint32_t m = 0; m < job->filters; m += band->together) {
      convolve_filters(words, band->is_whole ? x + band->column : band->x, group * job->filters + m,
                       least(job->filters - m, band->together));
    }
  }
}

/// The band's outputs of filter m, whose channel is at x and whose windows have `count` words.
INLINE void multiply_rows(struct words* words, uint32_t m, const uint8_t* x, uint32_t count) {
  const struct dla_job* job = words->band.job;
  const uint32_t outputs = words->band.outputs;
  const __m512i start = _mm512_set1_epi32(start_of(job, m));
  const __m512i filter = _mm512_maskz_loadu_epi8(ones(job->taps), job->filter + (size_t)m * job->taps);
  const __m512i weights_order = _mm512_load_si512(words->order[0]);
  const __mmask64 is_tap = _mm512_cmplt_epu8_mask(weights_order, _mm512_set1_epi8(kVector));
  _Alignas(kVector) int32_t weights[kLanes], sums[kStep];
  _mm512_store_si512(weights, _mm512_maskz_permutexvar_epi8(is_tap, weights_order, filter));
  for (uint32_t p = 0; p < outputs; p += kStep) {
    const uint32_t* begin = words->begin + p / kLanes;
    const __m512i* order = words->lanes + p / kLanes;
    __m512i sum[4] = {start, start, start, start};
    for (uint32_t k = 0; k < count; ++k) {
      const __m512i word = _mm512_set1_epi32(weights[k]);
#pragma GCC unroll 4
      for (uint32_t i = 0; i < 4; ++i) {
        const __m512i bytes = _mm512_loadu_si512(x + words->place[k] + begin[i]);
        sum[i] = _mm512_dpbusd_epi32(sum[i], _mm512_permutexvar_epi8(order[i], bytes), word);
      }
    }
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      _mm512_store_si512(sums + i * kLanes, sum[i]);
    }
    dla_requantize_all(job->conv, m, kStep, sums, words->outputs + p);
  }
  copy_bytes(words->outputs, 1, outputs, words->band.y);
}

/// How what is loaded for 16 outputs at a time becomes words, and from where on. Lanes without an output have any taps.
DLA_WORD_PRODUCTS static void order_lanes(struct words* words) {
  const struct band* band = &words->band;
  const uint32_t dilation = band->job->conv->window.dilations[1];
  const __m512i taps = _mm512_set1_epi32((int32_t)(dilation * 0x03020100U));
  for (uint32_t p = 0; p < band->outputs; p += kStep) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t output = least(p + i * kLanes, band->outputs - 1), position = position_of(band, output);
      const __m512i behind = _mm512_sub_epi32(positions_of(band, output), _mm512_set1_epi32((int32_t)position));
      words->lanes[p / kLanes + i] =
          _mm512_add_epi32(_mm512_mullo_epi32(behind, _mm512_set1_epi32((int32_t)(band->step * 0x01010101U))), taps);
      words->begin[p / kLanes + i] = position * band->step;
    }
  }
}

/// Places words, each the row of a window from a fourth tap on, and says which weights are theirs. \return how many
/// there are.
static uint32_t place_rows(struct words* words) {
  const struct dla_window* w = &words->band.job->conv->window;
  uint32_t count = 0;
  for (uint32_t r = 0; r < w->kernel[0]; ++r) {
    for (uint32_t s = 0; s < w->kernel[1]; s += 4, ++count) {
      words->place[count] = place_of(&words->band, r, s);
      for (uint32_t i = 0; i < 4; ++i) {
        words->order[0][count * 4 + i] = (uint8_t)(s + i < w->kernel[1] ? r * w->kernel[1] + s + i : kVector);
      }
    }
  }
  return count;
}

/// All filters of a band; as many channels are copied at a time as there is room for.
DLA_WORD_PRODUCTS static void convolve_depthwise(struct words* words) {
  struct band* band = &words->band;
  const struct dla_job* job = band->job;
  const size_t plane = (size_t)job->conv->H * job->conv->W;
  const uint32_t count = place_rows(words), together = kBandBytes / band->channel;
  order_lanes(words);
  for (uint32_t c0 = 0; c0 < job->conv->groups; c0 += together) {
    const uint32_t end = least(job->conv->groups, (uint64_t)c0 + together);
    for (uint32_t c = c0; c < end; ++c) {
      copy_channel(band, job->ifmap + c * plane, band->x + (size_t)(c - c0) * band->channel);
    }
    for (uint32_t m = c0 * job->filters; m < end * job->filters; ++m) {
      begin_filters(band, m);
      multiply_rows(words, m, band->x + (size_t)(m / job->filters - c0) * band->channel, count);
      end_filters(band, m, 1);
    }
  }
}

/// Whether windows are of one channel, words of a filter in a vector, and bytes of 16 outputs too.
static bool is_for_rows(const struct dla_job* job) {
  const struct dla_window* w = &job->conv->window;
  const uint64_t stride = w->strides[1], dilation = w->dilations[1], columns = job->unpooled_cols;
  const uint64_t between = (w->kernel[1] - 1) * dilation / stride;
  return job->channels == 1 && job->filters < kFewPerChannel && job->taps <= kVector &&
         w->kernel[0] * ((w->kernel[1] + 3) / 4) <= kLanes && stride < kVector && dilation < kVector &&
         between < kVector &&
         (kLanes - 1 + (kLanes + columns - 2) / columns * between) * stride + 3 * dilation < kVector;
}

/// A band, whose first row and column are set.
static void convolve_band(struct words* words, uint32_t rows, uint32_t columns) {
  begin_band(&words->band, rows, columns);
  (words->band.is_depthwise ? convolve_depthwise : convolve_dense)(words);
}

static bool convolve_pooled(struct words* words) {
  struct band* band = &words->band;
  const struct dla_pooling* pool = &band->job->conv->pooling;
  const uint32_t size = dla_pooling_size(pool), stride = dla_pooling_stride(pool), all = band->job->rows;
  uint32_t rows = 0;
  if (!choose_pooled(band, &rows)) {
    return false;
  }
  __builtin_memset(band->lines, 0, sizeof(band->lines));
  for (band->pooled_row = 0; band->pooled_row < all; band->pooled_row += rows) {
    band->pooled_rows = least(all - band->pooled_row, rows);
    const int64_t top = (int64_t)band->pooled_row * stride - pool->pads[0];
    const int64_t end = top + (int64_t)(band->pooled_rows - 1) * stride + size;
    band->row = (uint32_t)(top < 0 ? 0 : top);
    band->column = 0;
    convolve_band(words, least((uint64_t)end, band->all_rows) - band->row, band->all_columns);
  }
  return true;
}

static bool convolve_unpooled(struct words* words) {
  struct band* band = &words->band;
  uint32_t rows = 0, columns = 0;
  if (!choose_rows(band, &rows, &columns)) {
    return false;
  }
  for (band->row = 0; band->row < band->all_rows; band->row += rows) {
    for (band->column = 0; band->column < band->all_columns; band->column += columns) {
      convolve_band(words, least(band->all_rows - band->row, rows), least(band->all_columns - band->column, columns));
    }
  }
  return true;
}

bool dla_convolve_bytes(const struct dla_job* job) {
  struct words words;
  if (!DLA_HAS_WORD_PRODUCTS() || job->rows * job->cols == 1 || job->taps > kMostTaps ||
      !lay_out(job, is_for_rows(job), &words.band)) {
    return false;
  }
  return job->conv->pool ? convolve_pooled(&words) : convolve_unpooled(&words);
}

#else

bool dla_convolve_bytes(const struct dla_job* job) {
  (void)job;
  return false;
}

#endif
