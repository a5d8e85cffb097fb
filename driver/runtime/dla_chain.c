// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slice by slice, which rows are there; and layer by layer, which banks are used.
#include "dla_chain.h"

#include "spec/dla_planes.h"
#include "spec/dla_schedule.h"
#include "spec/dla_slice.h"

/// Rows of a layer's ofmap that are there in front of a slice.
static uint32_t rows_before(const struct dla_depth_first* args, uint32_t slice, uint32_t at) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < slice; ++i) {
    rows += args->rows[i * args->count + at];
  }
  return rows;
}

/// Whether a layer finds rows `first` to `first + rows` - 1 of a tensor on chip, if a layer before it here wrote it.
static bool finds_rows(const struct dla_depth_first* args, const struct dla_layer* layers, uint32_t slice,
                       uint32_t reader, uint32_t addr, struct dla_read_rows read) {
  for (uint32_t writer = reader; writer-- > 0;) {
    const struct dla_shape* s = &layers[writer].shape;
    if (s->ofmap_on_chip && layers[writer].ofmap_addr == addr) {
      const uint32_t written = rows_before(args, slice + 1, writer);
      const uint32_t kept = s->ofmap_plane_rows == 0 ? dla_pooled(s, dla_unpooled_rows(s)) : s->ofmap_plane_rows;
      return read.first + read.rows <= written && written - read.first <= kept;
    }
  }
  return true;
}

static bool finds_all_rows(const struct dla_depth_first* args, const struct dla_layer* layers, uint32_t at) {
  const struct dla_layer* layer = &layers[at];
  for (uint32_t slice = 0; slice < args->slices; ++slice) {
    const uint32_t first = rows_before(args, slice, at), rows = args->rows[slice * args->count + at];
    if (rows == 0) {
      continue;
    }
    const struct dla_read_rows ifmap = dla_rows_read(&layer->shape, first, rows);
    const struct dla_read_rows residual = {.first = first, .rows = rows};
    if ((layer->shape.ifmap_on_chip && !finds_rows(args, layers, slice, at, layer->ifmap_addr, ifmap)) ||
        (layer->shape.residual_on_chip && !finds_rows(args, layers, slice, at, layer->residual_addr, residual))) {
      return false;
    }
  }
  return true;
}

/// Whether a layer's regions meet another; that of an ifmap on chip is the tensor's.
static bool uses(const struct dla_layer* layer, const struct dla_region* region) {
  const struct dla_glb_plan* glb = &layer->glb;
  return (!layer->shape.ifmap_on_chip && dla_regions_overlap(&glb->ifmap, region)) ||
         dla_regions_overlap(&glb->filter, region) || dla_regions_overlap(&glb->psum, region) ||
         dla_regions_overlap(&glb->out, region) || dla_regions_overlap(&glb->residual, region);
}

/// Those that a layer writes on chip; none of an ofmap in DRAM.
static struct dla_region ofmap_banks(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_planes ofmap = dla_planes_of(machine, layer, kDlaOfmap);
  return ofmap.on_chip ? dla_banks_of(machine, &ofmap) : (struct dla_region){0};
}

/// Whether a layer uses a region, or what it writes on chip meets it.
static bool touches(const struct dla_machine* machine, const struct dla_layer* layer, const struct dla_region* region) {
  const struct dla_region written = ofmap_banks(machine, layer);
  return uses(layer, region) || dla_regions_overlap(&written, region);
}

static bool fits_filters(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_passes passes = dla_derive_passes(machine, &layer->shape, &layer->mapping);
  return dla_filter_chunks(&layer->shape, &layer->mapping, &passes) <= layer->mapping.filter_buffers;
}

dla_status_t dla_check_chain(const struct dla_machine* machine, const struct dla_depth_first* args,
                             const struct dla_layer* layers, uint32_t* at) {
  for (*at = 0; *at < args->count; ++*at) {
    const struct dla_layer* layer = &layers[*at];
    const struct dla_region written = ofmap_banks(machine, layer);
    const bool keeps = layer->shape.filters_on_chip;
    if (!finds_all_rows(args, layers, *at)) {
      return kDlaLostRows;
    }
    if (keeps && !fits_filters(machine, layer)) {
      return kDlaLostFilters;
    }
    for (uint32_t i = 0; i < args->count; ++i) {
      if (i == *at) {
        continue;
      }
      if (keeps && touches(machine, &layers[i], &layer->glb.filter)) {
        return kDlaLostFilters;
      }
      if (uses(&layers[i], &written)) {
        return kDlaLostRows;
      }
    }
  }
  return kDlaOk;
}
