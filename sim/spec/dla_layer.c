// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a machine can run a layer: the checks of dla_layer.h, in the order in which the RTL makes them.
#include "dla_layer.h"
#include "dla_output.h"
#include "dla_planes.h"

/// Whether there is a window over `size` rows or columns, of which `before` and `behind` are padding.
static bool has_window(const struct dla_shape* s, uint32_t size, uint32_t before, uint32_t behind) {
  const uint32_t window = dla_pool_size(s);
  return before < window && behind < window && size >= window && size > before + behind;
}

/// Whether what the shape says of pooling is a pool, or nothing. \pre the filter is no larger than the padded ifmap.
static bool is_pool(const struct dla_shape* s) {
  const uint32_t pads = s->pool_top | s->pool_left | s->pool_bottom | s->pool_right;
  if (!s->pool) {
    return (s->pool_size | s->pool_stride | pads) == 0;
  }
  return s->pool_size != 1 && has_window(s, dla_unpooled_rows(s), s->pool_top, s->pool_bottom) &&
         has_window(s, dla_unpooled_cols(s), s->pool_left, s->pool_right);
}

/// Words of the pooling row that a pass takes. At a stride of 1 every row ends a window, of two columns or three: there
/// are two bytes for each pair of rows, or four.
static uint32_t count_pool_words(const struct dla_machine* machine, const struct dla_shape* s,
                                 const struct dla_mapping* m) {
  const uint32_t lanes = machine->psum_lanes;
  if (!s->pool) {
    return 0;
  }
  const uint32_t slot = lanes == 1 ? m->t * dla_pooled(s, m->e) : (m->t * m->e + lanes - 1) / lanes;
  const uint32_t more = dla_pool_stride(s) != 1 ? 0 : (lanes == 1 ? 0 : 1) + (dla_pool_size(s) == 3 ? 1 : 0);
  return m->p * slot << more;
}

/// Whether so many output rows are those of whole windows.
static bool are_whole_windows(const struct dla_shape* s, uint32_t rows) {
  return rows >= dla_pool_size(s) && (rows - dla_pool_size(s)) % dla_pool_stride(s) == 0;
}

static enum dla_error check_shape(const struct dla_shape* s) {
  if (!dla_shape_in_range(s)) {
    return kDlaErrorBadShape;
  }
  const bool covered = s->R <= dla_padded_rows(s) && s->S <= dla_padded_cols(s);
  const bool is_mean = !s->mean || (!s->pool && !s->residual && !s->lookup);
  return covered && is_pool(s) && is_mean ? kDlaErrorNone : kDlaErrorBadShape;
}

/// Whether PEs that are to hold whole groups do.
static bool hold_groups(const struct dla_shape* s, const struct dla_mapping* m) {
  const bool is_whole = m->p == (uint64_t)m->g * s->M && m->q == (uint64_t)m->g * s->C;
  return m->g == 0 || (is_whole && m->r == 1 && m->m == m->p * m->t && !m->ifmap_resident);
}

static enum dla_error check_spads(const struct dla_machine* machine, uint32_t S, const struct dla_mapping* m) {
  if (m->q * S > machine->ifmap_spad_bytes) {
    return kDlaErrorIfmapSpadFull;
  }
  if (m->p * dla_filter_channels(m) * S > machine->filter_spad_bytes) {
    return kDlaErrorFilterSpadFull;
  }
  return m->p > machine->max_pe_filters ? kDlaErrorTooManyPeFilters : kDlaErrorNone;
}

static enum dla_error check_array(const struct dla_machine* machine, const struct dla_shape* s,
                                  const struct dla_mapping* m) {
  if (m->e > machine->cols) {
    return kDlaErrorArrayTooNarrow;
  }
  const uint32_t sets_high = machine->rows / dla_fold_rows(machine, s, m->fold_rows);
  if (m->r > sets_high) {
    return kDlaErrorTooManyChannelSets;
  }
  if (m->t > sets_high / m->r * (machine->cols / m->e)) {
    return kDlaErrorTooManyFilterSets;
  }
  if (m->p * m->t > machine->max_pass_filters) {
    return kDlaErrorTooManyPassFilters;
  }
  return count_pool_words(machine, s, m) > dla_pool_words(machine) ? kDlaErrorPoolingRowFull : kDlaErrorNone;
}

enum dla_error dla_check_mapping(const struct dla_machine* machine, const struct dla_shape* shape,
                                 const struct dla_mapping* mapping) {
  enum dla_error error = check_shape(shape);
  if (error != kDlaErrorNone) {
    return error;
  }
  const uint32_t E = dla_computed_rows(shape);
  if (!dla_mapping_in_range(mapping) || mapping->e > mapping->e_glb || mapping->e_glb > E ||
      (shape->mean && mapping->e != E) || mapping->stay >= mapping->filter_buffers || mapping->fold_rows > shape->R) {
    return kDlaErrorBadMapping;
  }
  if ((uint32_t)mapping->order >= kDlaLoopOrderCount) {
    return kDlaErrorBadLoopOrder;
  }
  if (!are_whole_windows(shape, mapping->e) || !are_whole_windows(shape, mapping->e_glb)) {
    return kDlaErrorOddPoolRows;
  }
  if (!hold_groups(shape, mapping)) {
    return kDlaErrorBadGroups;
  }
  error = check_spads(machine, shape->S, mapping);
  return error != kDlaErrorNone ? error : check_array(machine, shape, mapping);
}

static enum dla_error check_region_sizes(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_passes passes = dla_derive_passes(machine, &layer->shape, &layer->mapping);
  const struct dla_glb_plan* glb = &layer->glb;
  if (glb->ifmap.size_bytes / passes.ifmap_columns < passes.ifmap_column_bytes) {
    return kDlaErrorGlbIfmapSmall;
  }
  if (glb->filter.size_bytes / layer->mapping.filter_buffers < passes.filter_chunk_bytes) {
    return kDlaErrorGlbFilterSmall;
  }
  if (glb->psum.size_bytes < passes.psum_bytes) {
    return kDlaErrorGlbPsumSmall;
  }
  const uint32_t lane_banks = glb->out.size_bytes / machine->glb_bank_bytes / dla_out_columns(machine);
  if (lane_banks * machine->glb_bank_bytes / 2 < passes.out_lane_bytes) {
    return kDlaErrorGlbOutSmall;
  }
  return glb->residual.size_bytes / 2 < passes.residual_tile_bytes ? kDlaErrorGlbResidualSmall : kDlaErrorNone;
}

static bool is_placed(const struct dla_machine* machine, const struct dla_region* region, uint32_t columns) {
  return region->base_bytes % machine->glb_bank_bytes == 0 &&
         region->size_bytes % (machine->glb_bank_bytes * columns) == 0 && region->base_bytes <= machine->glb_bytes &&
         region->size_bytes <= machine->glb_bytes - region->base_bytes;
}

bool dla_regions_overlap(const struct dla_region* a, const struct dla_region* b) {
  return a->size_bytes != 0 && b->size_bytes != 0 && a->base_bytes < b->base_bytes + b->size_bytes &&
         b->base_bytes < a->base_bytes + a->size_bytes;
}

static enum dla_error check_region_places(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_passes passes = dla_derive_passes(machine, &layer->shape, &layer->mapping);
  const struct dla_glb_plan* glb = &layer->glb;
  const struct dla_region* const regions[5] = {&glb->ifmap, &glb->filter, &glb->psum, &glb->out, &glb->residual};
  const uint32_t columns[5] = {passes.ifmap_columns, dla_filter_columns(machine), dla_psum_columns(machine),
                               dla_out_columns(machine), 1};
  for (int i = 0; i < 5; ++i) {
    if (!is_placed(machine, regions[i], columns[i])) {
      return kDlaErrorGlbRegionMisplaced;
    }
    for (int j = 0; j < i; ++j) {
      if (dla_regions_overlap(regions[i], regions[j])) {
        return kDlaErrorGlbRegionMisplaced;
      }
    }
  }
  return kDlaErrorNone;
}

struct dla_planes dla_planes_of(const struct dla_machine* machine, const struct dla_layer* layer,
                                enum dla_layer_tensor tensor) {
  const struct dla_shape* s = &layer->shape;
  const struct dla_passes passes = dla_derive_passes(machine, s, &layer->mapping);
  struct dla_planes of = {.on_chip = s->ifmap_on_chip,
                          .addr = layer->ifmap_addr,
                          .channels = dla_groups(s) * s->C,
                          .rows = s->H,
                          .cols = s->W,
                          .plane_rows = s->ifmap_plane_rows,
                          .first_row = s->ifmap_first_row,
                          .stride = passes.ifmap_stride};
  if (tensor != kDlaIfmap) {
    const bool is_ofmap = tensor == kDlaOfmap;
    of = (struct dla_planes){.on_chip = is_ofmap ? s->ofmap_on_chip : s->residual_on_chip,
                             .addr = is_ofmap ? layer->ofmap_addr : layer->residual_addr,
                             .channels = dla_groups(s) * s->M,
                             .rows = s->mean ? 1 : passes.ofmap_rows,
                             .cols = s->mean ? 1 : passes.ofmap_cols,
                             .plane_rows = is_ofmap ? s->ofmap_plane_rows : s->residual_plane_rows,
                             .first_row = is_ofmap ? s->ofmap_first_row : s->residual_first_row,
                             .stride = is_ofmap ? passes.ofmap_stride : passes.residual_stride};
  }
  of.plane_rows = of.plane_rows == 0 ? of.rows : of.plane_rows;
  of.columns = of.on_chip ? dla_ifmap_columns(machine) : 1;
  return of;
}

/// Whether a tensor's rows are rows of its planes.
static bool is_in_planes(const struct dla_planes* of) {
  return of->rows <= of->plane_rows && of->first_row < of->plane_rows && (of->on_chip || of->first_row == 0);
}

/// Whether what is written or added goes on at a plane's begin only where a word ends.
static bool wraps_at_a_word(const struct dla_machine* machine, const struct dla_planes* of) {
  return of->first_row + of->rows <= of->plane_rows || of->plane_rows * of->cols % machine->bus_bytes == 0;
}

static enum dla_error check_planes(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_planes ifmap = dla_planes_of(machine, layer, kDlaIfmap);
  const struct dla_planes ofmap = dla_planes_of(machine, layer, kDlaOfmap);
  const struct dla_planes residual = dla_planes_of(machine, layer, kDlaResidual);
  const bool is_right = is_in_planes(&ifmap) && is_in_planes(&ofmap) && wraps_at_a_word(machine, &ofmap) &&
                        !(layer->shape.mean && layer->shape.ofmap_plane_rows != 0) &&
                        (!layer->shape.residual || (is_in_planes(&residual) && wraps_at_a_word(machine, &residual)));
  return is_right ? kDlaErrorNone : kDlaErrorBadPlane;
}

/// Bytes of a tensor, from its address on: of a column, or in DRAM to the end of the last plane, as if it began there.
static uint64_t count_bytes(const struct dla_planes* of) {
  const uint32_t column = of->on_chip ? of->addr >> kDlaColumnLsb : 0;
  return ((uint64_t)column + of->channels + of->columns - 1) / of->columns * of->stride;
}

static uint32_t column_byte(const struct dla_planes* of) { return of->addr & ((1u << kDlaColumnLsb) - 1); }

static bool is_in_glb(const struct dla_machine* machine, const struct dla_planes* of) {
  return of->addr >> kDlaColumnLsb < of->columns && of->addr % machine->bus_bytes == 0 &&
         column_byte(of) + count_bytes(of) <= dla_column_bytes(machine);
}

struct dla_region dla_banks_of(const struct dla_machine* machine, const struct dla_planes* planes) {
  const uint32_t bank = machine->glb_bank_bytes, first = column_byte(planes) / bank;
  const uint32_t end = (uint32_t)((column_byte(planes) + count_bytes(planes) + bank - 1) / bank);
  return (struct dla_region){first * planes->columns * bank, (end - first) * planes->columns * bank};
}

/// Whether the banks of a tensor on chip meet a region of the layer; that of an ifmap which is there does not count.
static bool meets_region(const struct dla_machine* machine, const struct dla_layer* layer,
                         const struct dla_planes* of) {
  const struct dla_glb_plan* glb = &layer->glb;
  const struct dla_region banks = dla_banks_of(machine, of);
  return (!layer->shape.ifmap_on_chip && dla_regions_overlap(&banks, &glb->ifmap)) ||
         dla_regions_overlap(&banks, &glb->filter) || dla_regions_overlap(&banks, &glb->psum) ||
         dla_regions_overlap(&banks, &glb->out) || dla_regions_overlap(&banks, &glb->residual);
}

/// Whether the ifmap's region is what it is read from: whole rows of banks, which its own are among.
static bool holds_ifmap(const struct dla_machine* machine, const struct dla_region* region,
                        const struct dla_planes* ifmap) {
  const struct dla_region banks = dla_banks_of(machine, ifmap);
  return region->base_bytes % (machine->glb_bank_bytes * ifmap->columns) == 0 &&
         region->base_bytes <= banks.base_bytes &&
         banks.base_bytes + banks.size_bytes <= region->base_bytes + region->size_bytes;
}

/// Whether no byte of a column's is in both tensors, if both are on chip.
static bool are_apart(const struct dla_planes* a, const struct dla_planes* b) {
  return !a->on_chip || !b->on_chip || column_byte(a) + count_bytes(a) <= column_byte(b) ||
         column_byte(b) + count_bytes(b) <= column_byte(a);
}

static enum dla_error check_on_chip(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_planes ifmap = dla_planes_of(machine, layer, kDlaIfmap);
  const struct dla_planes ofmap = dla_planes_of(machine, layer, kDlaOfmap);
  const struct dla_planes residual = dla_planes_of(machine, layer, kDlaResidual);
  bool is_right = true;
  if (ifmap.on_chip) {
    is_right = is_in_glb(machine, &ifmap) && holds_ifmap(machine, &layer->glb.ifmap, &ifmap);
  }
  if (is_right && ofmap.on_chip) {
    is_right = is_in_glb(machine, &ofmap) && !meets_region(machine, layer, &ofmap) && are_apart(&ifmap, &ofmap);
  }
  if (is_right && layer->shape.residual && residual.on_chip) {
    is_right = is_in_glb(machine, &residual) && !meets_region(machine, layer, &residual);
    const struct dla_region banks = dla_banks_of(machine, &residual);
    is_right = is_right && !(ifmap.on_chip && dla_regions_overlap(&banks, &layer->glb.ifmap));
  }
  // Nothing would wait for the table.
  return is_right && !(layer->shape.filters_on_chip && layer->shape.lookup) ? kDlaErrorNone : kDlaErrorBadOnChip;
}

static bool fits_address_space(const struct dla_planes* of) {
  return of->on_chip || count_bytes(of) <= ((uint64_t)1 << 32) - of->addr;
}

static enum dla_error check_addresses(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_planes ifmap = dla_planes_of(machine, layer, kDlaIfmap);
  const struct dla_planes ofmap = dla_planes_of(machine, layer, kDlaOfmap);
  // The end of the filter stream is not checked: reading beyond the memory is a bus error anyway.
  const bool fits =
      layer->filter_addr % machine->bus_bytes == 0 && fits_address_space(&ifmap) && fits_address_space(&ofmap);
  return fits ? kDlaErrorNone : kDlaErrorBadAddress;
}

static enum dla_error check_quant(const struct dla_layer* layer) {
  const struct dla_shape* s = &layer->shape;
  const bool has_scale = s->filter_scales ? s->scaled : !s->scaled || dla_is_scale(layer->quant.scale);
  const bool is_right = has_scale && layer->quant.lowest + layer->quant.headroom <= 255;
  const bool is_mean =
      !s->mean || (dla_is_scale(layer->quant.conv_scale) && layer->quant.sum_lowest + layer->quant.sum_headroom <= 255);
  return is_right && is_mean ? kDlaErrorNone : kDlaErrorBadQuant;
}

/// Whether two tensors have the same bytes, row by row.
static bool are_the_same(const struct dla_planes* a, const struct dla_planes* b) {
  return a->on_chip == b->on_chip && a->addr == b->addr && a->plane_rows == b->plane_rows &&
         a->first_row == b->first_row;
}

/// Whether the residual's bytes lie in its beats as the ofmap's in theirs, and none of the ofmap is written before it
/// is read: a tile is read before it is written.
static bool is_beside_ofmap(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_planes ofmap = dla_planes_of(machine, layer, kDlaOfmap);
  const struct dla_planes residual = dla_planes_of(machine, layer, kDlaResidual);
  const uint32_t ahead = residual.addr + residual.first_row * residual.cols - ofmap.addr - ofmap.first_row * ofmap.cols;
  const uint64_t a = residual.addr, b = ofmap.addr;
  const bool is_apart =
      residual.on_chip != ofmap.on_chip ||
      (ofmap.on_chip ? are_apart(&residual, &ofmap) : a + count_bytes(&residual) <= b || b + count_bytes(&ofmap) <= a);
  return ahead % machine->bus_bytes == 0 && (residual.stride - ofmap.stride) % machine->bus_bytes == 0 &&
         fits_address_space(&residual) && (is_apart || are_the_same(&residual, &ofmap));
}

static enum dla_error check_residual(const struct dla_machine* machine, const struct dla_layer* layer) {
  const struct dla_quant* quant = &layer->quant;
  const bool is_right =
      !layer->shape.residual || (!layer->shape.pool && is_beside_ofmap(machine, layer) &&
                                 dla_is_sum(quant->conv_scale, quant->residual_scale, quant->sum_offset) &&
                                 quant->sum_lowest + quant->sum_headroom <= 255);
  return is_right ? kDlaErrorNone : kDlaErrorBadResidual;
}

enum dla_error dla_check_layer(const struct dla_machine* machine, const struct dla_layer* layer) {
  enum dla_error error = dla_check_mapping(machine, &layer->shape, &layer->mapping);
  if (error == kDlaErrorNone) {
    error = check_region_sizes(machine, layer);
  }
  if (error == kDlaErrorNone) {
    error = check_region_places(machine, layer);
  }
  if (error == kDlaErrorNone) {
    error = check_planes(machine, layer);
  }
  if (error == kDlaErrorNone) {
    error = check_on_chip(machine, layer);
  }
  if (error == kDlaErrorNone) {
    error = check_addresses(machine, layer);
  }
  if (error == kDlaErrorNone) {
    error = check_quant(layer);
  }
  return error != kDlaErrorNone ? error : check_residual(machine, layer);
}
