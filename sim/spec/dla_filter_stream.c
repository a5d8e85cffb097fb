// SPDX-License-Identifier: Apache-2.0
/// \file
/// The filter stream: weights, biases and scales in the order in which a mapping makes the machine read them.
#include "dla_schedule.h"

void dla_split_chunk(const struct dla_mapping* mapping, struct dla_filter_chunk* chunk) {
  const struct dla_extent set = dla_extent_of(mapping, chunk->filters, chunk->channels, chunk->rows, mapping->e);
  chunk->t = set.t;
  chunk->p = set.p;
  chunk->r = set.r;
  chunk->q = set.q;
  chunk->C = set.C;
}

uint32_t dla_filter_chunk_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                                const struct dla_filter_chunk* chunk) {
  const struct dla_extent extent = {chunk->filters, chunk->channels, chunk->t, chunk->p, chunk->r,
                                    chunk->q,       chunk->rows,     1,        chunk->C, 0};
  const struct dla_filter_set set = dla_filter_set_of(machine, shape, &extent, chunk->first, chunk->last);
  return dla_set_bytes(&set);
}

size_t dla_filter_stream_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                               const struct dla_mapping* mapping) {
  const struct dla_pieces groups = dla_cut(dla_loop_of(shape, mapping, NULL, kDlaGroups));
  const struct dla_pieces chunks = dla_cut(dla_loop_of(shape, mapping, NULL, kDlaChunks));
  const uint32_t word_bytes = dla_filter_word_bytes(machine);
  uint64_t bytes = 0;
  for (const struct dla_piece* group = groups.sizes; group != groups.sizes + 3; ++group) {
    const uint32_t params = shape->filter_scales ? 2 : 1;
    uint64_t group_bytes = (uint64_t)params * dla_ceil_div(4 * group->size, word_bytes) * word_bytes;
    for (const struct dla_piece* chunk = chunks.sizes; group->count != 0 && chunk != chunks.sizes + 3; ++chunk) {
      if (chunk->count != 0) {
        // Linear in the rows, so that all folds count as one.
        const struct dla_extent extent = dla_extent_of(mapping, group->size, chunk->size, shape->R, mapping->e);
        group_bytes += chunk->count * dla_filter_set_of(machine, shape, &extent, false, false).weight_bytes;
      }
    }
    bytes += group->count * group_bytes;
  }
  return (size_t)(dla_table_bytes(shape) + bytes * dla_group_turns(shape, mapping));
}

/// Bytes of the first `sets` chunks of a fold: whole groups of p * t of `filters` filters, then what is left.
static uint64_t first_set_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                                const struct dla_mapping* mapping, const struct dla_filter_chunk* fold, uint64_t sets) {
  const uint32_t most = mapping->p * mapping->t, filters = fold->filters, wholes = filters / most;
  struct dla_filter_chunk chunk = *fold;
  uint64_t bytes = 0;
  if (wholes != 0) {
    chunk.filters = most;
    dla_split_chunk(mapping, &chunk);
    bytes = (sets < wholes ? sets : wholes) * (uint64_t)dla_filter_chunk_bytes(machine, shape, &chunk);
  }
  if (sets > wholes) {
    chunk.filters = filters % most;
    dla_split_chunk(mapping, &chunk);
    bytes += dla_filter_chunk_bytes(machine, shape, &chunk);
  }
  return bytes;
}

/// The same of a filter tile of fold->filters filters: folds of chunks of channels. Counts `*sets` down.
static uint64_t first_tile_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                                 const struct dla_mapping* mapping, const struct dla_passes* passes, uint32_t filters,
                                 uint64_t* sets) {
  const uint32_t groups = dla_ceil_div(filters, mapping->p * mapping->t);
  const uint32_t channels = mapping->g == 0 ? shape->C : filters / shape->M * shape->C;
  const uint32_t step = dla_chunk_channels(mapping);
  uint64_t bytes = 0;
  for (uint32_t c = 0; c < channels && *sets != 0; c += step) {
    for (uint32_t row = 0; row < shape->R && *sets != 0; row += passes->fold_rows) {
      const struct dla_filter_chunk fold = {.filters = filters,
                                            .channels = dla_min(step, channels - c),
                                            .rows = dla_min(passes->fold_rows, shape->R - row),
                                            .first = c == 0 && row == 0,
                                            .last = c + step >= channels && row + passes->fold_rows >= shape->R};
      const uint64_t here = *sets < groups ? *sets : groups;
      bytes += first_set_bytes(machine, shape, mapping, &fold, here);
      *sets -= here;
    }
  }
  return bytes;
}

size_t dla_staying_filter_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                                const struct dla_mapping* mapping) {
  const struct dla_passes passes = dla_derive_passes(machine, shape, mapping);
  const uint32_t all = dla_tiled_filters(shape, mapping);
  uint64_t sets = dla_staying_chunks(shape, mapping, &passes), bytes = 0;
  if (sets != 0 && sets == dla_filter_chunks(shape, mapping, &passes)) {
    return dla_filter_stream_bytes(machine, shape, mapping) - dla_table_bytes(shape);
  }
  while (sets != 0) {
    for (uint32_t m0 = 0; m0 < all && sets != 0; m0 += mapping->m) {
      bytes += first_tile_bytes(machine, shape, mapping, &passes, dla_min(mapping->m, all - m0), &sets);
    }
  }
  return (size_t)bytes;
}

/// First filter of the group that the schedule is at.
static uint32_t first_filter(const struct dla_schedule* at) {
  return at->first[kDlaChannelGroups] * at->shape.M + at->first[kDlaFilterTiles] + at->first[kDlaGroups];
}

/// Where the stream is being written.
struct stream_writer {
  uint8_t* at;
  uint32_t column;  ///< Bytes since the last multiple of word_bytes, modulo word_bytes.
  uint32_t word_bytes;
};

static void put_byte(struct stream_writer* out, uint8_t byte) {
  *out->at++ = byte;
  out->column = (out->column + 1) % out->word_bytes;
}

static void pad_to_word(struct stream_writer* out) {
  while (out->column != 0) {
    put_byte(out, 0);
  }
}

static void put_word(struct stream_writer* out, uint32_t word) {
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    put_byte(out, (uint8_t)(word >> shift));
  }
}

static void put_biases(struct stream_writer* out, const int32_t* bias, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    put_word(out, (uint32_t)bias[i]);
  }
  pad_to_word(out);
}

static void put_scales(struct stream_writer* out, const float* scale, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const union {
      float value;
      uint32_t bits;
    } word = {.value = scale[i]};
    put_word(out, word.bits);
  }
  pad_to_word(out);
}

/// The bytes of one PE: [p][q][S], or [p][C][S], of filter set `tt`, channel set `rs` and row `row`, zeros beyond what
/// exists.
static void put_pe(struct stream_writer* out, const struct dla_schedule* at, const int8_t* filter, uint32_t tt,
                   uint32_t rs, uint32_t row) {
  const struct dla_shape* shape = &at->shape;
  const struct dla_extent* set = &at->pass.extent;
  const uint32_t filter_channels = set->C == 0 ? set->q : set->C;
  for (uint32_t pp = 0; pp < set->p; ++pp) {
    for (uint32_t qq = 0; qq < filter_channels; ++qq) {
      const uint32_t m = tt * at->mapping.p + pp;
      const uint32_t c = rs * at->mapping.q + qq;
      const bool exists = m < set->filters && c < set->channels;
      const size_t plane = (size_t)(first_filter(at) + m) * shape->C + at->first[kDlaChunks] + c;
      for (uint32_t s = 0; s < shape->S; ++s) {
        put_byte(out, exists ? (uint8_t)filter[(plane * shape->R + row) * shape->S + s] : 0);
      }
    }
  }
  pad_to_word(out);
}

/// The chunk of the filter load that the schedule is at.
static void put_chunk(struct stream_writer* out, const struct dla_schedule* at, const int8_t* filter,
                      const int32_t* bias, const float* scale) {
  const struct dla_extent* set = &at->pass.extent;
  if (at->set.bias_words != 0) {
    put_biases(out, bias + first_filter(at), set->filters);
  }
  if (at->set.scale_words != 0) {
    put_scales(out, scale + first_filter(at), set->filters);
  }
  for (uint32_t tt = 0; tt < set->t; ++tt) {
    for (uint32_t rs = 0; rs < set->r; ++rs) {
      for (uint32_t row = 0; row < set->rows; ++row) {
        put_pe(out, at, filter, tt, rs, at->first[kDlaFolds] + row);
      }
    }
  }
}

void dla_lay_out_filters(const struct dla_machine* machine, const struct dla_shape* shape,
                         const struct dla_mapping* mapping, const int8_t* filter, const int32_t* bias,
                         const float* scale, const uint8_t* table, uint8_t* stream) {
  struct stream_writer out = {.at = stream, .column = 0, .word_bytes = dla_filter_word_bytes(machine)};
  for (uint32_t i = 0; i < dla_table_bytes(shape); ++i) {
    put_byte(&out, table[i]);
  }
  struct dla_shape loaded = *shape;
  loaded.filters_on_chip = false;
  struct dla_schedule at;
  dla_schedule_begin(machine, &loaded, mapping, &at);
  // Each row tile reads the same stream.
  while (dla_schedule_next_load(&at) != kDlaItemEnd && at.first[kDlaRowTiles] == 0) {
    if (at.item == kDlaItemFilterLoad) {
      put_chunk(&out, &at, filter, bias, scale);
    }
  }
}
