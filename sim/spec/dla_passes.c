// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a layer is cut into passes, and the GLB regions that its passes need.
#include "dla_timing.h"

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// \param to  A power of two, as words and banks are, and rows of them.
static uint64_t round_up(uint64_t a, uint64_t to) { return (a + to - 1) & ~(to - 1); }

/// The same where 32 bits hold the result: whole layers are derived by the million.
static uint32_t ceil_div_u32(uint32_t a, uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// A size that 32 bits do not hold is as good as infinite: no region has it.
static uint32_t saturate(uint64_t bytes) { return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes; }

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void derive_outputs(const struct dla_shape* s, struct dla_passes* out) {
  out->E = dla_computed_rows(s);
  out->F = dla_computed_cols(s);
  out->ofmap_rows = dla_pooled(s, out->E);
  out->ofmap_cols = dla_pooled(s, out->F);
  out->ofmap_plane = s->mean ? 1 : out->ofmap_rows * out->ofmap_cols;
}

/// From a plane to the next: on chip each begins with a word.
static uint32_t stride_of(const struct dla_machine* machine, bool on_chip, uint32_t bytes) {
  return on_chip ? (uint32_t)round_up(bytes, machine->bus_bytes) : bytes;
}

static void derive_strides(const struct dla_machine* machine, const struct dla_shape* s, struct dla_passes* out) {
  const uint32_t ifmap_rows = s->ifmap_plane_rows == 0 ? s->H : s->ifmap_plane_rows;
  const uint32_t cols = out->ofmap_cols;
  const uint32_t ofmap = s->ofmap_plane_rows == 0 ? out->ofmap_plane : s->ofmap_plane_rows * cols;
  const uint32_t residual = s->residual_plane_rows == 0 ? out->ofmap_plane : s->residual_plane_rows * cols;
  out->ifmap_stride = stride_of(machine, s->ifmap_on_chip, ifmap_rows * s->W);
  out->ofmap_stride = stride_of(machine, s->ofmap_on_chip, ofmap);
  out->residual_stride = stride_of(machine, s->residual_on_chip, residual);
}

static void derive_sets(const struct dla_machine* machine, const struct dla_shape* s, const struct dla_mapping* m,
                        struct dla_passes* out) {
  out->fold_rows = dla_fold_rows(machine, s, m->fold_rows);
  out->folds = ceil_div_u32(s->R, out->fold_rows);
  out->sets_high = machine->rows / out->fold_rows;
  out->sets_wide = machine->cols / m->e;
  out->filters_high = out->sets_high / m->r;
  out->segment_rows = m->r * out->fold_rows;
}

/// The columns that a buffer of so many channels takes: a power of two.
static uint32_t ifmap_columns(const struct dla_machine* machine, uint32_t channels) {
  uint32_t columns = dla_ifmap_columns(machine);
  while (columns / 2 >= channels) {
    columns /= 2;
  }
  return columns;
}

static void derive_ifmap(const struct dla_machine* machine, const struct dla_shape* s, const struct dla_mapping* m,
                         struct dla_passes* out) {
  if (s->ifmap_on_chip) {
    out->ifmap_plane_words = out->ifmap_stride / machine->bus_bytes;
    out->ifmap_buffers = 0;
    out->ifmap_columns = dla_ifmap_columns(machine);
    out->ifmap_column_bytes = 0;
    return;
  }
  const uint32_t rows = min_u32(s->H, (m->e_glb - 1) * s->U + s->R);
  // A plane keeps the byte alignment it has in DRAM, so up to bus_bytes - 1 bytes lie in front of it.
  out->ifmap_plane_words = (uint32_t)ceil_div((uint64_t)rows * s->W + machine->bus_bytes - 1, machine->bus_bytes);
  out->ifmap_buffers = m->ifmap_resident ? out->c_chunks : 2;
  // Planes of a channel each in every column: all channels in one buffer, or two chunks in two.
  const uint32_t columns = ifmap_columns(machine, m->ifmap_resident ? s->C : dla_chunk_channels(m));
  out->ifmap_columns = columns;
  const uint64_t planes =
      m->ifmap_resident ? ceil_div_u32(s->C, columns) : 2 * (uint64_t)ceil_div_u32(dla_chunk_channels(m), columns);
  out->ifmap_column_bytes = saturate(planes * out->ifmap_plane_words * machine->bus_bytes);
}

static void derive_psums(const struct dla_machine* machine, const struct dla_shape* s, const struct dla_mapping* m,
                         struct dla_passes* out) {
  const uint32_t word_bytes = dla_psum_columns(machine) * machine->bus_bytes;
  out->psum_block_bytes = (uint32_t)(out->F * m->p * ceil_div_u32(m->e * m->t, machine->psum_lanes) * word_bytes);
  const bool kept = (uint64_t)out->c_chunks * out->folds > 1;
  const uint64_t blocks = (uint64_t)ceil_div_u32(min_u32(m->m, dla_tiled_filters(s, m)), m->p * m->t) *
                          ceil_div_u32(dla_row_step(s, m->e_glb), dla_row_step(s, m->e));
  out->psum_bytes = kept ? saturate(blocks * out->psum_block_bytes) : 0;
}

static void derive_out_tile(const struct dla_machine* machine, const struct dla_shape* s, const struct dla_mapping* m,
                            struct dla_passes* out) {
  // A lone lane has pooled rows one behind another; in several, each is where the last row of its window would be.
  const uint32_t lanes = machine->psum_lanes;
  const uint64_t rows = lanes == 1 ? m->t * dla_pooled(s, m->e) : ceil_div_u32(m->t * m->e, lanes);
  out->out_lane_bytes = (uint32_t)(m->p * rows * round_up(out->ofmap_cols, machine->bus_bytes));
}

/// The residual of a tile as beats of its runs, each at any place in its first.
static void derive_residual(const struct dla_machine* machine, const struct dla_shape* s, const struct dla_mapping* m,
                            struct dla_passes* out) {
  const uint64_t run_bytes = round_up((uint64_t)m->e * out->ofmap_cols + machine->bus_bytes - 1, machine->bus_bytes);
  out->residual_tile_bytes = s->residual && !s->residual_on_chip ? saturate(m->p * m->t * run_bytes) : 0;
}

struct dla_passes dla_derive_passes(const struct dla_machine* machine, const struct dla_shape* shape,
                                    const struct dla_mapping* mapping) {
  struct dla_passes out;
  derive_outputs(shape, &out);
  derive_strides(machine, shape, &out);
  derive_sets(machine, shape, mapping, &out);
  out.e_tiles = ceil_div_u32(dla_row_step(shape, out.E), dla_row_step(shape, mapping->e_glb));
  out.m_tiles = ceil_div_u32(dla_tiled_filters(shape, mapping), mapping->m);
  out.c_chunks = ceil_div_u32(shape->C, dla_chunk_channels(mapping));
  derive_ifmap(machine, shape, mapping, &out);
  const uint32_t word_bytes = dla_filter_word_bytes(machine);
  const uint64_t pe_bytes = round_up(mapping->p * dla_filter_channels(mapping) * shape->S, word_bytes);
  const uint32_t params = shape->filter_scales ? 2 : 1;
  out.filter_chunk_bytes = (uint32_t)(params * round_up(mapping->p * mapping->t * 4, word_bytes) +
                                      mapping->t * mapping->r * out.fold_rows * pe_bytes);
  derive_psums(machine, shape, mapping, &out);
  derive_out_tile(machine, shape, mapping, &out);
  derive_residual(machine, shape, mapping, &out);
  out.output_cycles =
      (shape->scaled ? kDlaScaledOutputCycles : kDlaOutputCycles) + (shape->lookup ? kDlaLookupCycles : 0);
  return out;
}

/// Takes what `region` needs of the *left bytes of the GLB. \return false, and no change, where there are fewer.
static bool take(const struct dla_machine* machine, uint64_t bytes, uint32_t columns, uint32_t* left,
                 struct dla_region* region) {
  const uint64_t size = round_up(bytes, (uint64_t)machine->glb_bank_bytes * columns);
  if (size > *left) {
    return false;
  }
  region->size_bytes = (uint32_t)size;
  *left -= (uint32_t)size;
  return true;
}

enum dla_error dla_plan_glb(const struct dla_machine* machine, const struct dla_shape* shape,
                            const struct dla_mapping* mapping, struct dla_glb_plan* plan) {
  return dla_plan_glb_behind(machine, shape, mapping, 0, plan);
}

enum dla_error dla_plan_glb_behind(const struct dla_machine* machine, const struct dla_shape* shape,
                                   const struct dla_mapping* mapping, uint32_t kept_bytes, struct dla_glb_plan* plan) {
  const struct dla_passes passes = dla_derive_passes(machine, shape, mapping);
  return dla_plan_passes(machine, &passes, mapping->filter_buffers, kept_bytes, plan);
}

enum dla_error dla_plan_passes(const struct dla_machine* machine, const struct dla_passes* passes,
                               uint32_t filter_buffers, uint32_t kept_bytes, struct dla_glb_plan* plan) {
  const uint32_t lanes = dla_out_columns(machine);
  const uint64_t column_bytes = round_up(passes->ifmap_column_bytes, machine->glb_bank_bytes);
  const uint64_t filter_bytes = (uint64_t)filter_buffers * passes->filter_chunk_bytes;
  const uint64_t lane_bytes = round_up(2 * (uint64_t)passes->out_lane_bytes, machine->glb_bank_bytes);
  uint32_t left = machine->glb_bytes - kept_bytes;
  if (!take(machine, passes->ifmap_columns * column_bytes, passes->ifmap_columns, &left, &plan->ifmap)) {
    return kDlaErrorGlbIfmapSmall;
  }
  if (!take(machine, filter_bytes, dla_filter_columns(machine), &left, &plan->filter)) {
    return kDlaErrorGlbFilterSmall;
  }
  if (!take(machine, passes->psum_bytes, dla_psum_columns(machine), &left, &plan->psum)) {
    return kDlaErrorGlbPsumSmall;
  }
  if (!take(machine, lanes * lane_bytes, lanes, &left, &plan->out)) {
    return kDlaErrorGlbOutSmall;
  }
  if (!take(machine, 2 * (uint64_t)passes->residual_tile_bytes, 1, &left, &plan->residual)) {
    return kDlaErrorGlbResidualSmall;
  }
  struct dla_region* const order[] = {&plan->out, &plan->residual, &plan->ifmap, &plan->psum};
  uint32_t end = kept_bytes;
  for (int i = 0; i < 4; end += order[i++]->size_bytes) {
    order[i]->base_bytes = end;
  }
  plan->filter.base_bytes = machine->glb_bytes - plan->filter.size_bytes;
  plan->residual.base_bytes = plan->residual.size_bytes == 0 ? 0 : plan->residual.base_bytes;
  plan->ifmap.base_bytes = plan->ifmap.size_bytes == 0 ? 0 : plan->ifmap.base_bytes;
  return kDlaErrorNone;
}
