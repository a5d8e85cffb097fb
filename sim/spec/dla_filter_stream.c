// SPDX-License-Identifier: Apache-2.0
/// \file
/// The filter stream: weights and biases in the order in which a mapping makes the machine read them.
#include "dla_layer.h"

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static uint32_t round_up(uint32_t a, uint32_t to) { return ceil_div(a, to) * to; }

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

void dla_split_chunk(const struct dla_mapping* mapping, struct dla_filter_chunk* chunk) {
  chunk->t = ceil_div(chunk->filters, mapping->p);
  chunk->p = chunk->t == 1 ? chunk->filters : mapping->p;
  chunk->r = ceil_div(chunk->channels, mapping->q);
  chunk->q = chunk->r == 1 ? chunk->channels : mapping->q;
}

uint32_t dla_filter_chunk_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                                const struct dla_filter_chunk* chunk) {
  const uint32_t bias_bytes = chunk->has_bias ? round_up(chunk->filters * 4, machine->bus_bytes) : 0;
  const uint32_t pe_bytes = round_up(chunk->p * chunk->q * shape->S, machine->bus_bytes);
  return bias_bytes + chunk->t * chunk->r * chunk->rows * pe_bytes;
}

/// Bytes of all chunks of one group of filters: linear in the rows, so folds need no loop.
static uint64_t group_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                            const struct dla_mapping* mapping, uint32_t filters) {
  if (filters == 0) {
    return 0;
  }
  const uint32_t chunk_channels = mapping->q * mapping->r;
  struct dla_filter_chunk chunk = {.filters = filters, .channels = chunk_channels, .rows = shape->R};
  dla_split_chunk(mapping, &chunk);
  uint64_t bytes = (uint64_t)(shape->C / chunk_channels) * dla_filter_chunk_bytes(machine, shape, &chunk);
  if (shape->C % chunk_channels != 0) {
    chunk.channels = shape->C % chunk_channels;
    dla_split_chunk(mapping, &chunk);
    bytes += dla_filter_chunk_bytes(machine, shape, &chunk);
  }
  return bytes + round_up(filters * 4, machine->bus_bytes);
}

/// Bytes of one tile of `filters` filters.
static uint64_t tile_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                           const struct dla_mapping* mapping, uint32_t filters) {
  const uint32_t group = mapping->p * mapping->t;
  return filters / group * group_bytes(machine, shape, mapping, group) +
         group_bytes(machine, shape, mapping, filters % group);
}

size_t dla_filter_stream_bytes(const struct dla_machine* machine, const struct dla_shape* shape,
                               const struct dla_mapping* mapping) {
  return (size_t)(shape->M / mapping->m * tile_bytes(machine, shape, mapping, mapping->m) +
                  tile_bytes(machine, shape, mapping, shape->M % mapping->m));
}

/// Where the stream is being written.
struct stream_writer {
  uint8_t* at;
  uint32_t column;  ///< Bytes since the last multiple of bus_bytes, modulo bus_bytes.
  uint32_t bus_bytes;
};

static void put_byte(struct stream_writer* out, uint8_t byte) {
  *out->at++ = byte;
  out->column = (out->column + 1) % out->bus_bytes;
}

static void pad_to_bus(struct stream_writer* out) {
  while (out->column != 0) {
    put_byte(out, 0);
  }
}

static void put_biases(struct stream_writer* out, const int32_t* bias, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t shift = 0; shift < 32; shift += 8) {
      put_byte(out, (uint8_t)((uint32_t)bias[i] >> shift));
    }
  }
  pad_to_bus(out);
}

/// One PE's bytes: [p][q][S] of filter set `tt`, channel set `rs` and row `row`, zeros beyond the chunk.
static void put_pe(struct stream_writer* out, const struct dla_shape* shape, const struct dla_mapping* mapping,
                   const struct dla_filter_chunk* chunk, const int8_t* filter, uint32_t tt, uint32_t rs, uint32_t row) {
  for (uint32_t pp = 0; pp < chunk->p; ++pp) {
    for (uint32_t qq = 0; qq < chunk->q; ++qq) {
      const uint32_t m = tt * mapping->p + pp;
      const uint32_t c = rs * mapping->q + qq;
      const bool exists = m < chunk->filters && c < chunk->channels;
      const size_t plane = (size_t)(chunk->m0 + m) * shape->C + chunk->c0 + c;
      for (uint32_t s = 0; s < shape->S; ++s) {
        put_byte(out, exists ? (uint8_t)filter[(plane * shape->R + row) * shape->S + s] : 0);
      }
    }
  }
  pad_to_bus(out);
}

static void put_chunk(struct stream_writer* out, const struct dla_shape* shape, const struct dla_mapping* mapping,
                      const struct dla_filter_chunk* chunk, const int8_t* filter, const int32_t* bias) {
  if (chunk->has_bias) {
    put_biases(out, bias + chunk->m0, chunk->filters);
  }
  for (uint32_t tt = 0; tt < chunk->t; ++tt) {
    for (uint32_t rs = 0; rs < chunk->r; ++rs) {
      for (uint32_t row = chunk->row0; row < chunk->row0 + chunk->rows; ++row) {
        put_pe(out, shape, mapping, chunk, filter, tt, rs, row);
      }
    }
  }
}

/// All chunks of filters m0 to m_end - 1 for the channels and rows that `chunk` names.
static void put_groups(struct stream_writer* out, const struct dla_shape* shape, const struct dla_mapping* mapping,
                       struct dla_filter_chunk chunk, uint32_t m0, uint32_t m_end, const int8_t* filter,
                       const int32_t* bias) {
  const uint32_t group = mapping->p * mapping->t;
  for (chunk.m0 = m0; chunk.m0 < m_end; chunk.m0 += group) {
    chunk.filters = min_u32(group, m_end - chunk.m0);
    dla_split_chunk(mapping, &chunk);
    put_chunk(out, shape, mapping, &chunk, filter, bias);
  }
}

void dla_lay_out_filters(const struct dla_machine* machine, const struct dla_shape* shape,
                         const struct dla_mapping* mapping, const int8_t* filter, const int32_t* bias,
                         uint8_t* stream) {
  const uint32_t fold_rows = dla_derive_passes(machine, shape, mapping).fold_rows;
  const uint32_t chunk_channels = mapping->q * mapping->r;
  struct stream_writer out = {.at = stream, .column = 0, .bus_bytes = machine->bus_bytes};
  for (uint32_t m0 = 0; m0 < shape->M; m0 += mapping->m) {
    const uint32_t m_end = m0 + min_u32(mapping->m, shape->M - m0);
    for (uint32_t c0 = 0; c0 < shape->C; c0 += chunk_channels) {
      for (uint32_t row0 = 0; row0 < shape->R; row0 += fold_rows) {
        const struct dla_filter_chunk chunk = {.c0 = c0,
                                               .channels = min_u32(chunk_channels, shape->C - c0),
                                               .row0 = row0,
                                               .rows = min_u32(fold_rows, shape->R - row0),
                                               .has_bias = c0 == 0 && row0 == 0};
        put_groups(&out, shape, mapping, chunk, m0, m_end, filter, bias);
      }
    }
  }
}
