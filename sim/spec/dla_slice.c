// SPDX-License-Identifier: Apache-2.0
/// \file
/// A slice's rows, planes and addresses.
#include "dla_slice.h"

static uint32_t or_0(int64_t rows) { return rows < 0 ? 0 : (uint32_t)rows; }

/// Rows before pooling, padding of the pool among them, that are under rows `first` to `first + rows` - 1 of the ofmap.
static uint32_t first_unpooled(const struct dla_shape* s, uint32_t first) { return first * dla_pool_stride(s); }
static uint32_t end_unpooled(const struct dla_shape* s, uint32_t end) {
  return (end - 1) * dla_pool_stride(s) + dla_pool_size(s);
}

struct dla_read_rows dla_rows_read(const struct dla_shape* s, uint32_t first, uint32_t rows) {
  const int64_t top = (int64_t)first_unpooled(s, first) * s->U - s->pad_top;
  const int64_t bottom = (int64_t)(end_unpooled(s, first + rows) - 1) * s->U + s->R - s->pad_top;
  const uint32_t begin = or_0(top), end = bottom < s->H ? or_0(bottom) : s->H;
  return (struct dla_read_rows){
      .first = begin, .rows = or_0((int64_t)end - begin), .pad_top = or_0(-top), .pad_bottom = or_0(bottom - s->H)};
}

/// The row of a plane that a slice begins with; in DRAM its address says so.
static uint32_t row_in_plane(bool on_chip, uint32_t first_row, uint32_t row, uint32_t plane_rows) {
  return on_chip ? (first_row + row) % plane_rows : 0;
}

static uint32_t rows_or(uint32_t plane_rows, uint32_t all) { return plane_rows == 0 ? all : plane_rows; }

struct dla_shape dla_slice_shape(const struct dla_shape* shape, uint32_t first, uint32_t rows) {
  const struct dla_read_rows ifmap = dla_rows_read(shape, first, rows);
  const uint32_t unpooled = dla_unpooled_rows(shape), ofmap_rows = dla_pooled(shape, unpooled);
  struct dla_shape s = *shape;
  s.H = ifmap.rows;
  s.pad_top = ifmap.pad_top;
  s.pad_bottom = ifmap.pad_bottom;
  s.pool_top = or_0((int64_t)shape->pool_top - first_unpooled(shape, first));
  s.pool_bottom = or_0((int64_t)end_unpooled(shape, first + rows) + shape->pool_bottom - unpooled);
  if (!shape->pool) {
    s.pool_top = s.pool_bottom = 0;
  }
  s.ifmap_plane_rows = rows_or(shape->ifmap_plane_rows, shape->H);
  s.ofmap_plane_rows = rows_or(shape->ofmap_plane_rows, ofmap_rows);
  s.residual_plane_rows = shape->residual ? rows_or(shape->residual_plane_rows, ofmap_rows) : 0;
  s.filters_on_chip = shape->filters_on_chip && first != 0;
  s.ifmap_first_row = row_in_plane(s.ifmap_on_chip, s.ifmap_first_row, ifmap.first, s.ifmap_plane_rows);
  s.ofmap_first_row = row_in_plane(s.ofmap_on_chip, s.ofmap_first_row, first, s.ofmap_plane_rows);
  s.residual_first_row =
      shape->residual ? row_in_plane(s.residual_on_chip, s.residual_first_row, first, s.residual_plane_rows) : 0;
  return s;
}

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

struct dla_mapping dla_fit_rows(const struct dla_shape* shape, const struct dla_mapping* mapping) {
  struct dla_mapping fitted = *mapping;
  fitted.e_glb = lesser(mapping->e_glb, dla_computed_rows(shape));
  fitted.e = lesser(mapping->e, fitted.e_glb);
  return fitted;
}

struct dla_layer dla_slice_of(const struct dla_layer* layer, uint32_t first, uint32_t rows) {
  const struct dla_shape* s = &layer->shape;
  struct dla_layer slice = *layer;
  slice.shape = dla_slice_shape(s, first, rows);
  slice.mapping = dla_fit_rows(&slice.shape, &layer->mapping);
  const uint32_t cols = dla_pooled(s, dla_unpooled_cols(s));
  slice.ifmap_addr += s->ifmap_on_chip ? 0 : dla_rows_read(s, first, rows).first * s->W;
  slice.ofmap_addr += s->ofmap_on_chip ? 0 : first * cols;
  slice.residual_addr += s->residual_on_chip ? 0 : first * cols;
  return slice;
}
