// SPDX-License-Identifier: Apache-2.0
/// \file
/// The schedule of a layer: its loads and passes in order, or, where only sums count, how often each size occurs.
///
/// Seven loops, outermost first, cut the layer (dla_mapping); a pass is one piece of each. There are two ways to look:
///
/// - one after another: dla_schedule_begin(), then dla_schedule_next() until it says kDlaItemEnd, or
///   dla_schedule_next_load() where passes do not matter;
/// - in sums: dla_loop_of() and dla_cut() give the sizes that occur in one loop, at most three, and their counts.
///   Loops are independent of each other: a product of pieces, one of each loop, is so many equal passes. Where PEs
///   hold whole groups, channels are those of the filters.
///
/// What a pass or a set takes is dla_timing.h's. Test: dla_schedule_test.cpp, against a loop nest written out.
#pragma once

#include "dla_layer.h"
#include "dla_timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The loops, outermost first.
enum dla_loop {
  kDlaRowTiles,       ///< Output rows, e_glb a tile.
  kDlaChannelGroups,  ///< Groups of channels; one turn for all where PEs hold whole ones.
  kDlaFilterTiles,    ///< Filters of a group, m a tile; or of all.
  kDlaChunks,         ///< Channels, q * r a chunk; or those of the filter tile's groups.
  kDlaFolds,          ///< Filter rows, fold_rows a fold.
  kDlaGroups,         ///< Filters of a filter tile, p * t a group.
  kDlaStrips,         ///< Output rows of a row tile, e a strip.
  kDlaLoopCount
};

/// How a loop is cut: `total` elements in tiles of `tile`, and each tile in pieces of `step`. A loop that is in no tile
/// has one of all elements. Tiles, and pieces of one, share `shared` elements with the next, or, where that is below 0,
/// leave so many out between them.
struct dla_cutting {
  uint32_t total, tile, step;
  int32_t shared;
};

/// Pieces of one size. A count of 0: there are none.
struct dla_piece {
  uint32_t size;
  uint64_t count;
};

/// All pieces of a loop: the whole ones, what is left of each whole tile, and what is left of the last tile.
struct dla_pieces {
  struct dla_piece sizes[3];
};

/// Rows of a tensor: `count` rows from `first` on.
struct dla_rows {
  uint32_t first, count;
};

/// Something to move from DRAM to the GLB: `runs` runs of `bytes`. Those of a residual lie beat behind beat.
struct dla_load {
  bool is_filter;
  uint32_t offset;    ///< Of its first byte in the tensor: [C, H, W], the filter stream, or [M, E, F].
  uint32_t bytes;     ///< Of each run: a channel's rows, a filter chunk, or rows of an output tile.
  uint32_t runs;      ///< Channels, an ifmap's stride apart; 1 for filters; filters, a residual's stride apart.
  uint32_t channel;   ///< Of its first run, in its buffer.
  uint32_t glb_word;  ///< Where its buffer begins: in the filter or residual region, or each column of the ifmap's.
  bool is_residual;
  bool is_table;  ///< Of a filter load: the layer's table, which goes to where outputs are looked up, not to the GLB.
};

/// One pass of the array.
struct dla_pass {
  bool first_k;        ///< Begins from the biases.
  bool last_k;         ///< Ends in the output.
  bool last;           ///< Of the layer.
  bool waits_psum;     ///< Reads psums that may still be on their way: they are drained first.
  bool new_set;        ///< Needs the next filter set.
  bool new_ifmap;      ///< Needs the next ifmap chunk; not on chip.
  bool release_ifmap;  ///< Last user of its ifmap buffer; not on chip.
  struct dla_extent extent;
  struct dla_lengths lengths;
  uint32_t fold_row0;      ///< First filter row.
  uint32_t output_row;     ///< First output row that is computed, of those before pooling.
  int32_t y;               ///< First ifmap row, from the top of the unpadded ifmap.
  int32_t top;             ///< First ifmap row in the buffer. On chip, the buffer is the tensor.
  uint32_t ifmap_load;     ///< Another where the buffer holds other rows or channels.
  uint32_t ifmap_offset;   ///< Of the buffer's first byte in the ifmap tensor; not on chip.
  uint32_t ifmap_channel;  ///< First channel, in the buffer.
  uint32_t ifmap_word;     ///< Where the buffer begins, in each column; not on chip.
  uint32_t psum_block;     ///< Number of its psum block in the psum region.
  uint32_t ofmap_filter;   ///< First filter, of all groups.
  uint32_t ofmap_row;      ///< First row that it writes, of those after pooling.
};

enum dla_schedule_item {
  kDlaItemNone,       ///< Nothing yet.
  kDlaItemTableLoad,  ///< First of a layer with lookup.
  kDlaItemIfmapLoad,
  kDlaItemFilterLoad,    ///< The chunk of `set`, which the next pass needs.
  kDlaItemResidualLoad,  ///< Of the output tile of the next pass.
  kDlaItemPass,
  kDlaItemEnd
};

/// A place in the schedule of a layer. Copies go on alone.
struct dla_schedule {
  struct dla_machine machine;
  struct dla_shape shape;
  struct dla_mapping mapping;
  struct dla_passes passes;
  struct dla_cutting loops[kDlaLoopCount];

  enum dla_schedule_item item;  ///< Where it is.
  /// Of each loop, the first element of the piece under way, in its tile, and its size. A loop that is over stands
  /// behind its end until it begins again.
  uint32_t first[kDlaLoopCount], size[kDlaLoopCount];
  uint32_t steps;             ///< Of the sequencer, a cycle each: the push of the item before, and the way here.
  struct dla_load load;       ///< Where the item is a load.
  struct dla_filter_set set;  ///< Of the group under way.
  struct dla_pass pass;       ///< Where the item is a pass.

  uint32_t row_bytes;        ///< Of a channel's rows that the row tile loads.
  uint32_t ifmap_buffer;     ///< That the next load fills.
  uint32_t filter_chunk;     ///< Number of the next chunk in the filter stream,
  uint32_t filter_offset;    ///< and its place there.
  uint32_t next_buffer;      ///< For the next chunk that does not stay.
  bool filters_fit;          ///< A row tile has no more chunks than there are buffers, and they stay.
  uint32_t group_block;      ///< First psum block of the next group.
  uint32_t residual_buffer;  ///< That the next load of a residual fills.
};

/// Puts the schedule in front of its first item. \pre dla_check_mapping() returned kDlaErrorNone.
void dla_schedule_begin(const struct dla_machine* machine, const struct dla_shape* shape,
                        const struct dla_mapping* mapping, struct dla_schedule* schedule);

/// Goes on to the next load or pass. \return what it is: schedule->item.
enum dla_schedule_item dla_schedule_next(struct dla_schedule* schedule);

/// Goes on to the next load, over the passes between; `steps` is not theirs.
enum dla_schedule_item dla_schedule_next_load(struct dla_schedule* schedule);

/// How a loop is cut. \param passes  Not looked at for the loops over filters and channels.
static inline struct dla_cutting dla_loop_of(const struct dla_shape* shape, const struct dla_mapping* mapping,
                                             const struct dla_passes* passes, enum dla_loop loop) {
  struct dla_cutting cutting = {0, 0, 0, 0};
  switch (loop) {
    case kDlaRowTiles:
    case kDlaStrips:
      cutting.total = passes->E;
      cutting.tile = loop == kDlaStrips ? mapping->e_glb : passes->E;
      cutting.step = loop == kDlaStrips ? mapping->e : mapping->e_glb;
      cutting.shared = dla_shared_rows(shape);
      break;
    case kDlaChannelGroups:
      cutting.total = cutting.tile = dla_group_turns(shape, mapping);
      cutting.step = 1;
      break;
    case kDlaFilterTiles:
    case kDlaGroups:
      cutting.total = dla_tiled_filters(shape, mapping);
      cutting.tile = loop == kDlaGroups ? mapping->m : cutting.total;
      cutting.step = loop == kDlaGroups ? mapping->p * mapping->t : mapping->m;
      break;
    case kDlaChunks:
      cutting.step = dla_chunk_channels(mapping);
      cutting.total = cutting.tile = mapping->g == 0 ? shape->C : cutting.step;
      break;
    default:
      cutting.total = cutting.tile = shape->R;
      cutting.step = passes->fold_rows;
      break;
  }
  return cutting;
}

/// The sizes of a loop's pieces.
static inline struct dla_pieces dla_cut(struct dla_cutting loop) {
  // Without what each shares with the next, they follow each other.
  const uint32_t shared = (uint32_t)loop.shared, step = loop.step - shared, tile = loop.tile - shared;
  const uint32_t tiles = (loop.total - shared) / tile, last = (loop.total - shared) % tile, rest = tile % step;
  const uint32_t last_rest = last % step;
  const uint64_t whole = (uint64_t)tiles * (tile / step) + last / step;
  const struct dla_pieces pieces = {
      {{loop.step, whole}, {rest + shared, rest == 0 ? 0 : tiles}, {last_rest + shared, last_rest == 0 ? 0u : 1u}}};
  return pieces;
}

/// Whether an output tile of `rows` rows, after pooling, is one run of bytes in memory, and so is its residual: all
/// rows of planes without a gap.
static inline bool dla_is_one_run(const struct dla_shape* shape, const struct dla_passes* passes, uint32_t rows) {
  const bool ofmap = passes->ofmap_stride == passes->ofmap_plane && !shape->ofmap_on_chip;
  const bool residual = passes->residual_stride == passes->ofmap_plane && !shape->residual_on_chip;
  return ofmap && (!shape->residual || residual) && (shape->mean || rows == passes->ofmap_rows);
}

/// How many pieces there are.
static inline uint64_t dla_count_pieces(struct dla_cutting loop) {
  const struct dla_pieces pieces = dla_cut(loop);
  return pieces.sizes[0].count + pieces.sizes[1].count + pieces.sizes[2].count;
}

/// Filter chunks that a row tile takes.
static inline uint64_t dla_filter_chunks(const struct dla_shape* shape, const struct dla_mapping* mapping,
                                         const struct dla_passes* passes) {
  return dla_group_turns(shape, mapping) * (uint64_t)passes->c_chunks * passes->folds *
         dla_count_pieces(dla_loop_of(shape, mapping, passes, kDlaGroups));
}

/// Of them, how many are still there in the next row tile.
static inline uint64_t dla_staying_chunks(const struct dla_shape* shape, const struct dla_mapping* mapping,
                                          const struct dla_passes* passes) {
  const bool some_stay = mapping->stay != 0 || shape->filters_on_chip;
  const uint64_t chunks = some_stay ? dla_filter_chunks(shape, mapping, passes) : 0;
  return chunks > mapping->filter_buffers && !shape->filters_on_chip ? mapping->stay : chunks;
}

/// The ifmap rows, without padding, that output rows row0 to row0 + rows - 1 need: what a load brings of each channel.
/// At least one, even where all of them are padding.
static inline struct dla_rows dla_ifmap_rows(const struct dla_shape* shape, uint32_t row0, uint32_t rows) {
  const uint32_t top = row0 * shape->U, bottom = (row0 + rows - 1) * shape->U + shape->R - 1;
  const uint32_t first = dla_min(top - dla_min(top, shape->pad_top), shape->H - 1);
  const uint32_t last = dla_min(bottom - dla_min(bottom, shape->pad_top), shape->H - 1);
  const struct dla_rows loaded = {first, last - first + 1};
  return loaded;
}

#ifdef __cplusplus
}
#endif
