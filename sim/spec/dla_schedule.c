// SPDX-License-Identifier: Apache-2.0
/// \file
/// The walk through the schedule of a layer: an odometer of seven loops that stops at each load and pass.
#include "dla_schedule.h"

void dla_schedule_begin(const struct dla_machine* machine, const struct dla_shape* shape,
                        const struct dla_mapping* mapping, struct dla_schedule* schedule) {
  *schedule = (struct dla_schedule){.machine = *machine, .shape = *shape, .mapping = *mapping};
  schedule->passes = dla_derive_passes(machine, shape, mapping);
  schedule->next_buffer = mapping->stay;
  schedule->filters_fit =
      mapping->stay != 0 && dla_filter_chunks(shape, mapping, &schedule->passes) <= mapping->filter_buffers;
  for (int loop = 0; loop < kDlaLoopCount; ++loop) {
    schedule->loops[loop] = dla_loop_of(shape, mapping, &schedule->passes, (enum dla_loop)loop);
  }
}

/// Elements that a loop has to go through now.
static uint32_t extent_of(const struct dla_schedule* at, enum dla_loop loop) {
  switch (loop) {
    case kDlaChunks:
      return at->mapping.g == 0 ? at->shape.C : at->size[kDlaFilterTiles] / at->shape.M * at->shape.C;
    case kDlaGroups:
      return at->size[kDlaFilterTiles];
    case kDlaStrips:
      return at->size[kDlaRowTiles];
    default:
      return at->loops[loop].total;
  }
}

/// Whether the piece under way is its loop's last.
static bool is_last(const struct dla_schedule* at, enum dla_loop loop) {
  return at->first[loop] + at->loops[loop].step >= extent_of(at, loop);
}

static void enter_row_tile(struct dla_schedule* at) {
  const struct dla_rows rows = dla_ifmap_rows(&at->shape, at->first[kDlaRowTiles], at->size[kDlaRowTiles]);
  at->steps += kDlaRowTileSteps;
  at->filter_chunk = 0;
  at->filter_offset = dla_table_bytes(&at->shape);
  at->pass.top = at->shape.ifmap_on_chip ? 0 : (int32_t)rows.first;
  at->row_bytes = rows.count * at->shape.W;
}

/// First channel of those that the filter tile takes.
static uint32_t first_channel(const struct dla_schedule* at) {
  const uint32_t group = at->mapping.g == 0 ? at->first[kDlaChannelGroups] : at->first[kDlaFilterTiles] / at->shape.M;
  return group * at->shape.C;
}

/// \return whether the chunk is not in the GLB yet.
static bool enter_chunk(struct dla_schedule* at) {
  const bool resident = at->mapping.ifmap_resident;
  const uint32_t c0 = at->first[kDlaChunks], plane = at->passes.ifmap_stride;
  const uint32_t tile_offset = (uint32_t)at->pass.top * at->shape.W + first_channel(at) * plane;
  const uint32_t chunk_offset = tile_offset + c0 * plane;
  struct dla_pass* pass = &at->pass;
  dla_use_channels(&at->mapping, at->size[kDlaChunks], &pass->extent);
  at->steps += kDlaChunkSteps + pass->extent.r;
  if (at->shape.ifmap_on_chip) {
    pass->ifmap_channel = first_channel(at) + c0;
    pass->ifmap_load = 1;
    return false;
  }
  pass->ifmap_channel = resident ? c0 : 0;
  pass->ifmap_offset = resident ? tile_offset : chunk_offset;
  // A buffer of all channels, or one a chunk.
  const uint32_t planes = dla_ceil_div(at->loops[kDlaChunks].step, dla_ifmap_columns(&at->machine));
  pass->ifmap_word = resident ? 0 : at->ifmap_buffer * planes * at->passes.ifmap_plane_words;
  at->ifmap_buffer = at->ifmap_buffer + 1 == at->passes.ifmap_buffers ? 0 : at->ifmap_buffer + 1;
  pass->new_ifmap = !resident || at->first[kDlaFilterTiles] == 0;
  pass->ifmap_load += !resident || (pass->new_ifmap && c0 == 0) ? 1 : 0;
  if (!pass->new_ifmap) {
    return false;
  }
  at->load = (struct dla_load){.offset = chunk_offset,
                               .bytes = at->row_bytes,
                               .runs = pass->extent.channels,
                               .channel = pass->ifmap_channel,
                               .glb_word = pass->ifmap_word};
  return true;
}

static void enter_fold(struct dla_schedule* at) {
  struct dla_pass* pass = &at->pass;
  at->steps += kDlaFoldSteps;
  pass->fold_row0 = at->first[kDlaFolds];
  pass->extent.rows = at->size[kDlaFolds];
  pass->extent.fold_rows = at->mapping.fold_rows;
  pass->first_k = at->first[kDlaChunks] == 0 && at->first[kDlaFolds] == 0;
  pass->last_k = is_last(at, kDlaChunks) && is_last(at, kDlaFolds);
  at->group_block = 0;
}

/// Gives the set's chunk its buffer: its own, where it stays, or the next of the others.
static void place_chunk(struct dla_schedule* at) {
  const uint32_t chunk_words = at->passes.filter_chunk_bytes / at->machine.bus_bytes;
  if (at->shape.filters_on_chip) {
    at->set.stays = true;
    at->set.new_chunk = false;
    at->set.glb_word = at->filter_chunk++ % at->mapping.filter_buffers * chunk_words;
    return;
  }
  const bool is_later_tile = at->first[kDlaRowTiles] != 0;
  const uint32_t stay = at->mapping.stay, others = at->mapping.filter_buffers - stay;
  at->set.stays = at->filter_chunk < stay || at->filters_fit;
  at->set.new_chunk = !at->set.stays || !is_later_tile;
  const uint32_t buffer = at->set.stays ? at->filter_chunk : at->next_buffer;
  at->set.glb_word = buffer * chunk_words;
  at->next_buffer = at->set.stays ? at->next_buffer : stay + (at->next_buffer - stay + 1) % others;
  ++at->filter_chunk;
}

/// \return whether its chunk is not in the GLB yet.
static bool enter_group(struct dla_schedule* at) {
  struct dla_pass* pass = &at->pass;
  dla_use_filters(&at->mapping, at->size[kDlaGroups], &pass->extent);
  at->steps += kDlaGroupSteps + pass->extent.t;
  at->set = dla_filter_set_of(&at->machine, &at->shape, &pass->extent, pass->first_k, pass->last_k);
  place_chunk(at);
  pass->new_set = true;
  pass->psum_block = at->group_block;
  const struct dla_shape* s = &at->shape;
  at->group_block += dla_ceil_div(dla_row_step(s, at->size[kDlaRowTiles]), dla_row_step(s, at->mapping.e));
  at->load = (struct dla_load){.is_filter = true,
                               .offset = at->filter_offset,
                               .bytes = dla_set_bytes(&at->set),
                               .runs = 1,
                               .glb_word = at->set.glb_word};
  at->filter_offset += at->load.bytes;
  return at->set.new_chunk;
}

static void enter_strip(struct dla_schedule* at) {
  const struct dla_shape* s = &at->shape;
  struct dla_pass* pass = &at->pass;
  const uint32_t row = at->first[kDlaRowTiles] + at->first[kDlaStrips];
  const uint32_t group_filter = at->first[kDlaChannelGroups] * at->shape.M;
  const uint32_t filter = group_filter + at->first[kDlaFilterTiles] + at->first[kDlaGroups];
  at->steps += kDlaStripSteps;
  pass->extent.e = at->size[kDlaStrips];
  pass->lengths = dla_pass_lengths(&at->machine, s, &pass->extent);
  pass->waits_psum = !pass->first_k && !dla_covers_psums(&at->passes, &pass->lengths, pass->extent.p);
  pass->output_row = row;
  pass->y = (int32_t)(row * s->U + pass->fold_row0) - (int32_t)s->pad_top;
  pass->ofmap_filter = filter;
  pass->ofmap_row = row / dla_pool_stride(s);
  const bool chunk_ends = is_last(at, kDlaStrips) && is_last(at, kDlaGroups) && is_last(at, kDlaFolds);
  const bool tile_ends = chunk_ends && is_last(at, kDlaFilterTiles);
  pass->release_ifmap = !at->shape.ifmap_on_chip && (at->mapping.ifmap_resident ? tile_ends : chunk_ends);
  pass->last = tile_ends && pass->last_k && is_last(at, kDlaChannelGroups) && is_last(at, kDlaRowTiles);
}

/// \return whether the pass ends in an output tile that a residual is added to, which is to be loaded.
static bool enter_residual(struct dla_schedule* at) {
  const struct dla_pass* pass = &at->pass;
  if (!at->shape.residual || at->shape.residual_on_chip || !pass->last_k) {
    return false;
  }
  const uint32_t filters = pass->extent.filters, bytes = pass->extent.e * at->passes.ofmap_cols;
  const uint32_t offset = pass->ofmap_filter * at->passes.residual_stride + pass->ofmap_row * at->passes.ofmap_cols;
  const bool is_one = dla_is_one_run(&at->shape, &at->passes, pass->extent.e);
  at->load =
      (struct dla_load){.is_residual = true,
                        .offset = offset,
                        .bytes = is_one ? filters * bytes : bytes,
                        .runs = is_one ? 1 : filters,
                        .glb_word = at->residual_buffer * at->passes.residual_tile_bytes / at->machine.bus_bytes};
  at->residual_buffer = at->residual_buffer + 1 == kDlaResiduals ? 0 : at->residual_buffer + 1;
  return true;
}

/// Begins a piece of a loop. \return the item that it is or starts with; kDlaItemNone: go on with the loop in it.
static enum dla_schedule_item enter(struct dla_schedule* at, enum dla_loop loop) {
  at->size[loop] = dla_min(at->loops[loop].step, extent_of(at, loop) - at->first[loop]);
  switch (loop) {
    case kDlaRowTiles:
      enter_row_tile(at);
      return kDlaItemNone;
    case kDlaChannelGroups:
      return kDlaItemNone;
    case kDlaFilterTiles:
      at->steps += kDlaFilterTileSteps;
      return kDlaItemNone;
    case kDlaChunks:
      return enter_chunk(at) ? kDlaItemIfmapLoad : kDlaItemNone;
    case kDlaFolds:
      enter_fold(at);
      return kDlaItemNone;
    case kDlaGroups:
      return enter_group(at) ? kDlaItemFilterLoad : kDlaItemNone;
    default:
      enter_strip(at);
      return enter_residual(at) ? kDlaItemResidualLoad : kDlaItemPass;
  }
}

/// Moves on the innermost of the loops up to `loop` that is not at its end. \return it; kDlaLoopCount where all are.
static enum dla_loop advance(struct dla_schedule* at, enum dla_loop loop) {
  for (int i = loop; i >= 0; --i) {
    const bool ends = is_last(at, (enum dla_loop)i);
    at->first[i] += at->loops[i].step - (uint32_t)at->loops[i].shared;
    if (!ends) {
      return (enum dla_loop)i;
    }
  }
  return kDlaLoopCount;
}

/// From a piece of `loop` on down to the first item.
static enum dla_schedule_item descend(struct dla_schedule* at, enum dla_loop loop) {
  at->item = loop == kDlaLoopCount ? kDlaItemEnd : enter(at, loop);
  while (at->item == kDlaItemNone && loop < kDlaStrips) {
    loop = (enum dla_loop)(loop + 1);
    at->first[loop] = 0;
    at->item = enter(at, loop);
  }
  return at->item;
}

static enum dla_schedule_item load_table(struct dla_schedule* at) {
  at->load = (struct dla_load){.is_filter = true, .bytes = DLA_TABLE_BYTES, .runs = 1, .is_table = true};
  return at->item = kDlaItemTableLoad;
}

enum dla_schedule_item dla_schedule_next(struct dla_schedule* schedule) {
  schedule->steps = kDlaPushSteps;
  switch (schedule->item) {
    case kDlaItemNone:
      schedule->steps = 0;
      return schedule->shape.lookup ? load_table(schedule) : descend(schedule, kDlaRowTiles);
    case kDlaItemTableLoad:
      return descend(schedule, kDlaRowTiles);
    case kDlaItemIfmapLoad:
      schedule->first[kDlaFolds] = 0;
      return descend(schedule, kDlaFolds);
    case kDlaItemFilterLoad:
      schedule->first[kDlaStrips] = 0;
      return descend(schedule, kDlaStrips);
    case kDlaItemResidualLoad:
      return schedule->item = kDlaItemPass;
    case kDlaItemPass:
      schedule->pass.new_set = schedule->pass.new_ifmap = false;
      ++schedule->pass.psum_block;
      return descend(schedule, advance(schedule, kDlaStrips));
    default:
      return kDlaItemEnd;
  }
}

enum dla_schedule_item dla_schedule_next_load(struct dla_schedule* schedule) {
  do {
    // Residuals lie between passes that end in the output.
    const bool in_group = schedule->item == kDlaItemFilterLoad || schedule->item == kDlaItemPass;
    const bool has_residual = schedule->shape.residual && !schedule->shape.residual_on_chip;
    const bool skips = in_group && !(has_residual && schedule->pass.last_k);
    skips ? descend(schedule, advance(schedule, kDlaGroups)) : dla_schedule_next(schedule);
  } while (schedule->item == kDlaItemPass);
  return schedule->item;
}
