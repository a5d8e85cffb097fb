// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a layer command asks of a machine: whether it can run it, its passes, and the order of its filters in memory.
///
/// The compiler plans with these functions, the driver guards with them, the models run from them, and the RTL
/// makes the same checks in the same order (test: testbench/rtl). docs/machine.md explains the passes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dla_command.h"
#include "dla_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What follows from shape, mapping and machine. Valid only where dla_check_mapping() found no error.
struct dla_passes {
  uint32_t E, F;                        ///< Output rows and columns computed: with pooling, those of whole windows.
  uint32_t ofmap_rows, ofmap_cols;      ///< Of a filter's outputs: E, F or windows over them.
  uint32_t ofmap_plane;                 ///< Bytes written of a filter: those outputs, or 1, their mean.
  uint32_t ifmap_stride;                ///< Bytes from a channel's plane to the next one (dla_planes.h),
  uint32_t ofmap_stride;                ///< from a filter's,
  uint32_t residual_stride;             ///< and from those of a residual.
  uint32_t folds;                       ///< Groups of filter rows: ceil(R / fold_rows).
  uint32_t fold_rows;                   ///< Filter rows a group, the last may have fewer.
  uint32_t sets_high, sets_wide;        ///< PE sets that fit: floor(rows / fold_rows), floor(cols / e).
  uint32_t filters_high;                ///< Filter sets in a column: floor(sets_high / r).
  uint32_t segment_rows;                ///< PEs of a column that accumulate, D in docs/timing.md: r * fold_rows.
  uint32_t e_tiles, m_tiles, c_chunks;  ///< ceil(E / e_glb), ceil(M / m), ceil(C / (q r)): of a group, or where PEs
                                        ///< hold whole ones, ceil(G M / m) and 1.
  uint32_t ifmap_plane_words;           ///< GLB words (bus_bytes each) for one channel of a chunk.
  uint32_t ifmap_buffers;        ///< Chunks that the ifmap region holds: c_chunks if resident, else 2; 0 on chip.
  uint32_t ifmap_columns;        ///< That the ifmap region has: of a buffer of few channels, no more than it takes.
  uint32_t ifmap_column_bytes;   ///< Bytes needed in each of them.
  uint32_t filter_chunk_bytes;   ///< Room of a filter chunk, biases and scales included.
  uint32_t psum_block_bytes;     ///< Psums of p*t filters, e rows, all columns.
  uint32_t psum_bytes;           ///< Of a whole tile of m filters and e_glb rows; 0 where none are kept.
  uint32_t out_lane_bytes;       ///< Of one output tile, in one of the psum_lanes lanes.
  uint32_t output_cycles;        ///< A slot that ends in T: its first activation is written so long after T + D.
  uint32_t residual_tile_bytes;  ///< Of what is added to one output tile; 0 without a residual, or with one on chip.
};

/// Bytes of a table: one for each value of a byte.
#define DLA_TABLE_BYTES 256u

/// Bytes of the table that the filter stream begins with.
static inline uint32_t dla_table_bytes(const struct dla_shape *shape) { return shape->lookup ? DLA_TABLE_BYTES : 0; }

/// How many groups of channels the layer has.
static inline uint32_t dla_groups(const struct dla_shape *shape) { return shape->G == 0 ? 1 : shape->G; }

/// Filters, and with them outputs, that the filter tiles of a group share; of all groups where PEs hold whole ones.
static inline uint32_t dla_tiled_filters(const struct dla_shape *shape, const struct dla_mapping *mapping) {
  return mapping->g == 0 ? shape->M : dla_groups(shape) * shape->M;
}

/// How often the loops over filters are gone through: once a group, or once where PEs hold whole ones.
static inline uint32_t dla_group_turns(const struct dla_shape *shape, const struct dla_mapping *mapping) {
  return mapping->g == 0 ? dla_groups(shape) : 1;
}

/// Channels of a chunk.
static inline uint32_t dla_chunk_channels(const struct dla_mapping *mapping) {
  return mapping->q * (mapping->g == 0 ? mapping->r : mapping->t);
}

/// Channels that a filter takes in a PE: a group's, or q.
static inline uint32_t dla_filter_channels(const struct dla_mapping *mapping) {
  return mapping->g == 0 ? mapping->q : mapping->q / mapping->g;
}

/// Filter rows that a PE set is high. \param fold_rows  Of the mapping.
static inline uint32_t dla_fold_rows(const struct dla_machine *machine, const struct dla_shape *shape,
                                     uint32_t fold_rows) {
  if (fold_rows != 0) {
    return fold_rows;
  }
  const uint32_t folds = (shape->R + machine->rows - 1) / machine->rows;
  return (shape->R + folds - 1) / folds;
}

/// The part of filters m0 to m0 + filters - 1 in one pass.
struct dla_filter_chunk {
  uint32_t m0, filters;   ///< filters <= p * t.
  uint32_t c0, channels;  ///< channels <= q * r.
  uint32_t row0, rows;    ///< Filter rows; rows <= fold_rows.
  uint32_t t, p, r, q;    ///< What of the mapping is in use: a remainder uses fewer sets.
  uint32_t C;             ///< Of a group, where PEs hold whole ones; else 0.
  bool first;             ///< Chunk of its filters: begins with an int32 a filter, the biases.
  bool last;              ///< Chunk of its filters: has a float32 a filter, behind the biases, where they have scales.
};

/// Ifmap rows and columns with their padding.
static inline uint32_t dla_padded_rows(const struct dla_shape *s) { return s->pad_top + s->H + s->pad_bottom; }
static inline uint32_t dla_padded_cols(const struct dla_shape *s) { return s->pad_left + s->W + s->pad_right; }

/// Output rows and columns before pooling, those of the pool's padding among them. \pre the filter is no larger than
/// the padded ifmap.
static inline uint32_t dla_unpooled_rows(const struct dla_shape *s) { return (dla_padded_rows(s) - s->R) / s->U + 1; }
static inline uint32_t dla_unpooled_cols(const struct dla_shape *s) { return (dla_padded_cols(s) - s->S) / s->V + 1; }

/// Rows and columns of a pool's window, and its stride; 1 where nothing is pooled.
static inline uint32_t dla_pool_size(const struct dla_shape *s) { return !s->pool ? 1 : s->pool_size == 3 ? 3 : 2; }
static inline uint32_t dla_pool_stride(const struct dla_shape *s) {
  return !s->pool ? 1 : s->pool_stride == 0 ? 2 : s->pool_stride;
}

/// Whole windows over `rows` rows or columns. \pre rows >= dla_pool_size().
static inline uint32_t dla_pooled(const struct dla_shape *s, uint32_t rows) {
  return (rows - dla_pool_size(s)) / dla_pool_stride(s) + 1;
}

/// Rows or columns under `windows` windows.
static inline uint32_t dla_pool_rows(const struct dla_shape *s, uint32_t windows) {
  return (windows - 1) * dla_pool_stride(s) + dla_pool_size(s);
}

/// Rows that a tile of output rows shares with the next, which computes them again; below 0: rows between that none
/// has.
static inline int32_t dla_shared_rows(const struct dla_shape *s) {
  return (int32_t)dla_pool_size(s) - (int32_t)dla_pool_stride(s);
}

/// From the first row of a tile of `rows` output rows to the next tile's.
static inline uint32_t dla_row_step(const struct dla_shape *s, uint32_t rows) {
  return rows - (uint32_t)dla_shared_rows(s);
}

/// Output rows and columns that are computed: those of the ofmap, or under its windows.
static inline uint32_t dla_computed_rows(const struct dla_shape *s) {
  return dla_pool_rows(s, dla_pooled(s, dla_unpooled_rows(s)));
}
static inline uint32_t dla_computed_cols(const struct dla_shape *s) {
  return dla_pool_rows(s, dla_pooled(s, dla_unpooled_cols(s)));
}

/// Outputs of a filter under the pool's windows that are not its padding: what has to be computed.
static inline uint64_t dla_needed_outputs(const struct dla_shape *s) {
  uint32_t rows = dla_computed_rows(s), cols = dla_computed_cols(s);
  if (s->pool) {
    const uint32_t rows_end = dla_unpooled_rows(s) - s->pool_bottom, cols_end = dla_unpooled_cols(s) - s->pool_right;
    rows = (rows < rows_end ? rows : rows_end) - s->pool_top;
    cols = (cols < cols_end ? cols : cols_end) - s->pool_left;
  }
  return (uint64_t)rows * cols;
}

/// Checks a shape and a mapping against a machine, in the RTL's order.
/// \return kDlaErrorNone, or the first cause that applies.
enum dla_error dla_check_mapping(const struct dla_machine *machine, const struct dla_shape *shape,
                                 const struct dla_mapping *mapping);

/// Checks a whole layer: mapping, GLB regions, addresses, requantization.
enum dla_error dla_check_layer(const struct dla_machine *machine, const struct dla_layer *layer);

/// Derived numbers. \pre dla_check_mapping() returned kDlaErrorNone.
struct dla_passes dla_derive_passes(const struct dla_machine *machine, const struct dla_shape *shape,
                                    const struct dla_mapping *mapping);

/// Whether there is a byte in both.
bool dla_regions_overlap(const struct dla_region *a, const struct dla_region *b);

/// Lays the regions out one after another, each as small as the mapping allows; the filter region gets
/// mapping->filter_buffers chunks and the end of the GLB, the others its front: so a list's next layer may load its
/// first filters while the array still reads and writes. \return kDlaErrorNone, or the region that did not fit.
enum dla_error dla_plan_glb(const struct dla_machine *machine, const struct dla_shape *shape,
                            const struct dla_mapping *mapping, struct dla_glb_plan *plan);

/// The same behind the first bytes of the GLB, which are left to tensors on chip. An ifmap there gets no region: it is
/// the banks that the ifmap lies in (dla_banks_of). \param kept_bytes  Whole banks.
enum dla_error dla_plan_glb_behind(const struct dla_machine *machine, const struct dla_shape *shape,
                                   const struct dla_mapping *mapping, uint32_t kept_bytes, struct dla_glb_plan *plan);

/// The same of a mapping's passes.
enum dla_error dla_plan_passes(const struct dla_machine *machine, const struct dla_passes *passes,
                               uint32_t filter_buffers, uint32_t kept_bytes, struct dla_glb_plan *plan);

/// Bytes of the filter stream of a layer, table, biases and scales included.
size_t dla_filter_stream_bytes(const struct dla_machine *machine, const struct dla_shape *shape,
                               const struct dla_mapping *mapping);

/// Of these, the bytes that a row tile finds in the GLB, where it is not the layer's first: of the chunks that stay.
size_t dla_staying_filter_bytes(const struct dla_machine *machine, const struct dla_shape *shape,
                                const struct dla_mapping *mapping);

/// Writes table, weights, biases and scales in the order the machine reads them.
/// With lookup, the table, once a layer; then, once a row tile, for group of channels, m tile, c chunk, fold and p*t
/// filters, in that order, one chunk: biases of the filters (int32, in their first chunk only, padded to
/// dla_filter_word_bytes()), with filter_scales their scales (float32, in their last chunk only, padded to the same),
/// then for each filter set, channel set and filter row the bytes of one PE: [p][q][S] int8, zeros where there is no
/// such filter or channel, padded to the same; where PEs hold whole groups, [p][C][S].
/// \param filter  [G M, C, R, S] int8.
/// \param bias    [G M] int32.
/// \param scale   [G M] float32, 0 or more and finite; not looked at without filter_scales.
/// \param table   [256] uint8, what each requantized byte becomes; not looked at without lookup.
/// \param stream  dla_filter_stream_bytes() bytes.
void dla_lay_out_filters(const struct dla_machine *machine, const struct dla_shape *shape,
                         const struct dla_mapping *mapping, const int8_t *filter, const int32_t *bias,
                         const float *scale, const uint8_t *table, uint8_t *stream);

/// Which sets and lanes a chunk of `filters` filters and `channels` channels uses, filled into chunk->t, p, r, q.
void dla_split_chunk(const struct dla_mapping *mapping, struct dla_filter_chunk *chunk);

/// Bytes of one chunk in the stream.
uint32_t dla_filter_chunk_bytes(const struct dla_machine *machine, const struct dla_shape *shape,
                                const struct dla_filter_chunk *chunk);

/// One line that says what a cause means and what would work; never NULL.
const char *dla_error_text(enum dla_error error);

#ifdef __cplusplus
}
#endif
