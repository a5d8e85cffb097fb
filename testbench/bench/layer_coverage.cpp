// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a set of layers has exercised: every value of R, S, the strides and the pads, every kind of fold and remainder,
/// and the options.
#include "layer_coverage.h"

#include <algorithm>
#include <cstdio>

#include "spec/dla_planes.h"
#include "spec/dla_schedule.h"

namespace fovea {

namespace {

using Layer = const dla_layer&;
using Passes = const dla_passes&;

/// Filters of a tile of m, and of a group of p*t.
uint32_t tile_filters(Layer layer) {
  return std::min(layer.mapping.m, dla_tiled_filters(&layer.shape, &layer.mapping));
}
uint32_t group_filters(Layer layer) { return layer.mapping.p * layer.mapping.t; }
uint32_t chunk_channels(Layer layer) { return dla_chunk_channels(&layer.mapping); }

/// Channels that are cut into chunks; where PEs hold whole groups, a chunk.
uint32_t channels(Layer layer) { return layer.mapping.g == 0 ? layer.shape.C : chunk_channels(layer); }

bool holds_groups(Layer layer) { return layer.mapping.g != 0; }

/// Groups that the PEs hold at once.
uint32_t groups_at_once(Layer layer) { return layer.mapping.g * layer.mapping.t; }

/// Filter chunks of a row tile, and those that are still there in the next.
uint64_t row_tile_chunks(Layer layer, Passes passes) {
  return dla_filter_chunks(&layer.shape, &layer.mapping, &passes);
}
uint64_t filters_stay(Layer layer, Passes passes) { return dla_staying_chunks(&layer.shape, &layer.mapping, &passes); }

/// Filters as large as the ifmap.
bool is_linear(const dla_shape& s) {
  return s.H == s.R && s.W == s.S && dla_padded_rows(&s) == s.H && dla_padded_cols(&s) == s.W;
}

/// Whether there is padding, and the same on all sides.
bool is_padded_evenly(const dla_shape& s) {
  return s.pad_top != 0 && s.pad_top == s.pad_left && s.pad_top == s.pad_bottom && s.pad_top == s.pad_right;
}

bool is_pool(const dla_shape& s, uint32_t size, uint32_t stride) {
  return s.pool && dla_pool_size(&s) == size && dla_pool_stride(&s) == stride;
}

/// Whether rows from `first` on go on at the begin of planes of so many rows.
bool wraps(uint32_t first, uint32_t rows, uint32_t plane_rows) {
  return first + rows > (plane_rows == 0 ? rows : plane_rows);
}
bool ifmap_wraps(const dla_shape& s) { return s.ifmap_on_chip && wraps(s.ifmap_first_row, s.H, s.ifmap_plane_rows); }
bool ofmap_wraps(Layer l, Passes p) {
  return l.shape.ofmap_on_chip && wraps(l.shape.ofmap_first_row, p.ofmap_rows, l.shape.ofmap_plane_rows);
}
bool residual_wraps(Layer l, Passes p) {
  return l.shape.residual && l.shape.residual_on_chip &&
         wraps(l.shape.residual_first_row, p.ofmap_rows, l.shape.residual_plane_rows);
}

/// A residual that is on chip, or not, with an ofmap that is, or not.
bool is_placed(const dla_shape& s, bool residual_on_chip, bool ofmap_on_chip) {
  return s.residual && s.residual_on_chip == residual_on_chip && s.ofmap_on_chip == ofmap_on_chip;
}
bool is_in_place(Layer l) { return l.residual_addr == l.ofmap_addr; }

const std::vector<CoverageRow> kKinds = {
    {"R fold", [](Layer, Passes p, uint32_t) { return p.folds > 1; }, 0},
    {"R fold, fewer rows in the last", [](Layer l, Passes p, uint32_t) { return l.shape.R % p.fold_rows != 0; }, 0},
    {"R fold by choice", [](Layer l, Passes p, uint32_t) { return p.folds > 1 && l.mapping.fold_rows != 0; }, 0},
    {"R fold of fewer rows than the stride",
     [](Layer l, Passes p, uint32_t) { return p.folds > 1 && p.fold_rows < l.shape.U; }, 0},
    {"C fold", [](Layer, Passes p, uint32_t) { return p.c_chunks > 1; }, 0},
    {"C fold, fewer sets in the last",
     [](Layer l, Passes p, uint32_t) {
       const uint32_t rest = channels(l) % chunk_channels(l);
       return p.c_chunks > 1 && rest != 0 && rest <= chunk_channels(l) - l.mapping.q;
     },
     0},
    {"C remainder inside a set",
     [](Layer l, Passes, uint32_t) { return channels(l) % chunk_channels(l) % l.mapping.q != 0; }, 0},
    {"one channel set with fewer than q",
     [](Layer l, Passes, uint32_t) {
       const uint32_t rest = channels(l) % chunk_channels(l);
       return rest != 0 && rest < l.mapping.q;
     },
     0},
    {"M tiles of m", [](Layer, Passes p, uint32_t) { return p.m_tiles > 1; }, 0},
    {"M tiles of m, a smaller last one",
     [](Layer l, Passes, uint32_t) { return dla_tiled_filters(&l.shape, &l.mapping) % tile_filters(l) != 0; }, 0},
    {"M groups of p*t in a tile", [](Layer l, Passes, uint32_t) { return tile_filters(l) > group_filters(l); }, 0},
    {"M remainder of p*t", [](Layer l, Passes, uint32_t) { return tile_filters(l) % group_filters(l) != 0; }, 0},
    {"one filter set with fewer than p",
     [](Layer l, Passes, uint32_t) {
       const uint32_t rest = tile_filters(l) % group_filters(l);
       return rest != 0 && rest < l.mapping.p;
     },
     0},
    {"M remainder inside a set",
     [](Layer l, Passes, uint32_t) {
       const uint32_t rest = tile_filters(l) % group_filters(l);
       return rest > l.mapping.p && rest % l.mapping.p != 0;
     },
     0},
    {"m above M", [](Layer l, Passes, uint32_t) { return l.mapping.m > l.shape.M; }, 0},
    {"E tiles of e_glb", [](Layer, Passes p, uint32_t) { return p.e_tiles > 1; }, 0},
    {"E tiles of e_glb, a smaller last one", [](Layer l, Passes p, uint32_t) { return p.E % l.mapping.e_glb != 0; }, 0},
    {"E blocks of e in a tile", [](Layer l, Passes, uint32_t) { return l.mapping.e_glb > l.mapping.e; }, 0},
    {"E remainder of e", [](Layer l, Passes, uint32_t) { return l.mapping.e_glb % l.mapping.e != 0; }, 0},
    {"psums kept in the GLB", [](Layer, Passes p, uint32_t) { return p.psum_bytes != 0; }, 0},
    {"no psums kept", [](Layer, Passes p, uint32_t) { return p.psum_bytes == 0; }, 0},
    {"ifmap resident", [](Layer l, Passes, uint32_t) { return l.mapping.ifmap_resident; }, 0},
    {"ifmap streamed", [](Layer l, Passes, uint32_t) { return !l.mapping.ifmap_resident; }, 0},
    {"ifmap streamed again for each M tile",
     [](Layer l, Passes p, uint32_t) { return !l.mapping.ifmap_resident && !holds_groups(l) && p.m_tiles > 1; }, 0},
    {"filters stay, all of them",
     [](Layer l, Passes p, uint32_t) { return p.e_tiles > 1 && filters_stay(l, p) == row_tile_chunks(l, p); }, 0},
    {"filters stay, some of them",
     [](Layer l, Passes p, uint32_t) {
       return p.e_tiles > 1 && l.mapping.stay != 0 && filters_stay(l, p) < row_tile_chunks(l, p);
     },
     0},
    {"filters stay, one buffer for the others",
     [](Layer l, Passes p, uint32_t) {
       return p.e_tiles > 1 && l.mapping.stay + 1 == l.mapping.filter_buffers &&
              filters_stay(l, p) < row_tile_chunks(l, p);
     },
     0},
    {"filters of whole groups stay",
     [](Layer l, Passes p, uint32_t) { return p.e_tiles > 1 && holds_groups(l) && l.mapping.stay != 0; }, 0},
    {"filters on chip", [](Layer l, Passes, uint32_t) { return l.shape.filters_on_chip; }, 0},
    {"groups one after another", [](Layer l, Passes, uint32_t) { return !holds_groups(l) && l.shape.G > 1; }, 0},
    {"groups one after another, each of several chunks",
     [](Layer l, Passes p, uint32_t) { return !holds_groups(l) && l.shape.G > 1 && p.c_chunks > 1; }, 0},
    {"groups one after another, ifmap resident, several chunks",
     [](Layer l, Passes p, uint32_t) { return l.mapping.ifmap_resident && l.shape.G > 1 && p.c_chunks > 1; }, 0},
    {"groups one after another, several M tiles",
     [](Layer l, Passes p, uint32_t) { return !holds_groups(l) && l.shape.G > 1 && p.m_tiles > 1; }, 0},
    {"depthwise, whole groups in PEs",
     [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.C == 1 && l.shape.M == 1; }, 0},
    {"depthwise with a multiplier, whole groups in PEs",
     [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.C == 1 && l.shape.M > 1; }, 0},
    {"whole groups in PEs, of several channels and filters, several a PE",
     [](Layer l, Passes, uint32_t) { return l.mapping.g > 1 && l.shape.C > 1 && l.shape.M > 1; }, 0},
    {"whole groups in PEs, several passes",
     [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.G > groups_at_once(l); }, 0},
    {"whole groups in PEs, fewer sets in the last pass",
     [](Layer l, Passes, uint32_t) {
       const uint32_t rest = holds_groups(l) ? l.shape.G % groups_at_once(l) : 0;
       return rest != 0 && rest <= groups_at_once(l) - l.mapping.g;
     },
     0},
    {"whole groups in PEs, a remainder inside a set",
     [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.G % groups_at_once(l) % l.mapping.g != 0; }, 0},
    {"whole groups in PEs, one set with fewer than g",
     [](Layer l, Passes, uint32_t) {
       return holds_groups(l) && l.shape.G % groups_at_once(l) != 0 && l.shape.G % groups_at_once(l) < l.mapping.g;
     },
     0},
    {"whole groups in PEs, sets beside each other",
     [](Layer l, Passes p, uint32_t) { return holds_groups(l) && l.mapping.t > p.filters_high; }, 0},
    {"whole groups in PEs, sets above each other",
     [](Layer l, Passes p, uint32_t) { return holds_groups(l) && p.filters_high > 1 && l.mapping.t > 1; }, 0},
    {"whole groups in PEs, R fold", [](Layer l, Passes p, uint32_t) { return holds_groups(l) && p.folds > 1; }, 0},
    {"whole groups in PEs, pool", [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.pool; }, 0},
    {"whole groups in PEs, stride above 1", [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.U > 1; },
     0},
    {"whole groups in PEs, a scale a filter",
     [](Layer l, Passes, uint32_t) { return holds_groups(l) && l.shape.filter_scales; }, 0},
    {"r above 1", [](Layer l, Passes, uint32_t) { return l.mapping.r > 1; }, 0},
    {"t above 1", [](Layer l, Passes, uint32_t) { return l.mapping.t > 1; }, 0},
    {"r and t above 1", [](Layer l, Passes, uint32_t) { return l.mapping.r > 1 && l.mapping.t > 1; }, 0},
    {"more psum words than MACs a slot",
     [](Layer l, Passes, uint32_t) { return l.mapping.e * l.mapping.t > 2 * l.mapping.q * l.shape.S; }, 0},
    {"pool", [](Layer l, Passes, uint32_t) { return l.shape.pool; }, 0},
    {"pool drops a row", [](Layer l, Passes p, uint32_t) { return l.shape.pool && dla_unpooled_rows(&l.shape) != p.E; },
     0},
    {"pool drops a column",
     [](Layer l, Passes p, uint32_t) { return l.shape.pool && dla_unpooled_cols(&l.shape) != p.F; }, 0},
    {"pool of 2 at a stride of 2", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 2, 2); }, 0},
    {"pool of 3 at a stride of 2", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 2); }, 0},
    {"pool of 2 at a stride of 3", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 2, 3); }, 0},
    {"pool of 3 at a stride of 3", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 3); }, 0},
    {"pool of 2 at a stride of 1", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 2, 1); }, 0},
    {"pool of 3 at a stride of 1", [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 1); }, 0},
    {"pool of 3 at a stride of 1, several strips, two row tiles",
     [](Layer l, Passes p, uint32_t) {
       return is_pool(l.shape, 3, 1) && l.mapping.e_glb > l.mapping.e && p.e_tiles > 1;
     },
     0},
    {"pool of 2 at a stride of 1, several sets of filters",
     [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 2, 1) && l.mapping.t > 1; }, 0},
    {"pool of 3 at a stride of 1, several sets of filters",
     [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 1) && l.mapping.t > 1; }, 0},
    {"padding above what is pooled, in two strips",
     [](Layer l, Passes p, uint32_t) {
       return is_pool(l.shape, 3, 1) && l.shape.pool_top == 2 && l.mapping.e == 3 && p.E > 3;
     },
     0},
    {"pool of 3 at a stride of 2, several strips",
     [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 2) && l.mapping.e_glb > l.mapping.e; }, 0},
    {"pool of 3 at a stride of 2, several row tiles",
     [](Layer l, Passes p, uint32_t) { return is_pool(l.shape, 3, 2) && p.e_tiles > 1; }, 0},
    {"pool of 3 at a stride of 2, several sets of filters",
     [](Layer l, Passes, uint32_t) { return is_pool(l.shape, 3, 2) && l.mapping.t > 1; }, 0},
    {"padding above what is pooled", [](Layer l, Passes, uint32_t) { return l.shape.pool_top != 0; }, 0},
    {"padding left of what is pooled", [](Layer l, Passes, uint32_t) { return l.shape.pool_left != 0; }, 0},
    {"padding below what is pooled, in a window",
     [](Layer l, Passes p, uint32_t) { return p.E > dla_unpooled_rows(&l.shape) - l.shape.pool_bottom; }, 0},
    {"padding right of what is pooled, in a window",
     [](Layer l, Passes p, uint32_t) { return p.F > dla_unpooled_cols(&l.shape) - l.shape.pool_right; }, 0},
    {"two rows of padding above what is pooled", [](Layer l, Passes, uint32_t) { return l.shape.pool_top == 2; }, 0},
    {"no pool", [](Layer l, Passes, uint32_t) { return !l.shape.pool; }, 0},
    {"shifted", [](Layer l, Passes, uint32_t) { return !l.shape.scaled; }, 0},
    {"scaled", [](Layer l, Passes, uint32_t) { return l.shape.scaled && !l.shape.filter_scales; }, 0},
    {"a scale a filter", [](Layer l, Passes, uint32_t) { return l.shape.filter_scales; }, 0},
    {"a scale a filter, psums kept in the GLB",
     [](Layer l, Passes p, uint32_t) { return l.shape.filter_scales && p.psum_bytes != 0; }, 0},
    {"a scale a filter, several strips a set",
     [](Layer l, Passes, uint32_t) { return l.shape.filter_scales && l.mapping.e_glb > l.mapping.e; }, 0},
    {"a table", [](Layer l, Passes, uint32_t) { return l.shape.lookup && !l.shape.scaled; }, 0},
    {"a table, scaled", [](Layer l, Passes, uint32_t) { return l.shape.lookup && l.shape.scaled; }, 0},
    {"a table before a pool", [](Layer l, Passes, uint32_t) { return l.shape.lookup && l.shape.pool; }, 0},
    {"a table before a residual", [](Layer l, Passes, uint32_t) { return l.shape.lookup && l.shape.residual; }, 0},
    {"a table, several row tiles", [](Layer l, Passes p, uint32_t) { return l.shape.lookup && p.e_tiles > 1; }, 0},
    {"a residual", [](Layer l, Passes, uint32_t) { return l.shape.residual && !l.quant.residual_first; }, 0},
    {"a residual as first operand",
     [](Layer l, Passes, uint32_t) { return l.shape.residual && l.quant.residual_first; }, 0},
    {"a residual, psums kept in the GLB",
     [](Layer l, Passes p, uint32_t) { return l.shape.residual && p.psum_bytes != 0; }, 0},
    {"a residual, several strips a set",
     [](Layer l, Passes, uint32_t) { return l.shape.residual && l.mapping.e_glb > l.mapping.e; }, 0},
    {"a residual, tiles of all rows",
     [](Layer l, Passes p, uint32_t) { return l.shape.residual && l.mapping.e >= p.ofmap_rows; }, 0},
    {"a residual, whole groups in PEs", [](Layer l, Passes, uint32_t) { return l.shape.residual && holds_groups(l); },
     0},
    {"a residual, groups one after another",
     [](Layer l, Passes, uint32_t) { return l.shape.residual && !holds_groups(l) && l.shape.G > 1; }, 0},
    {"a residual where the ofmap will be",
     [](Layer l, Passes, uint32_t) { return l.shape.residual && l.residual_addr == l.ofmap_addr; }, 0},
    {"a residual, a sum's bounds",
     [](Layer l, Passes, uint32_t) { return l.shape.residual && l.quant.sum_lowest + l.quant.sum_headroom != 0; }, 0},
    {"a mean", [](Layer l, Passes p, uint32_t) { return l.shape.mean && p.E * p.F > 1; }, 0},
    {"a mean of one output", [](Layer l, Passes p, uint32_t) { return l.shape.mean && p.E * p.F == 1; }, 0},
    {"a mean, psums kept in the GLB", [](Layer l, Passes p, uint32_t) { return l.shape.mean && p.psum_bytes != 0; }, 0},
    {"a mean, whole groups in PEs", [](Layer l, Passes, uint32_t) { return l.shape.mean && holds_groups(l); }, 0},
    {"a mean, groups one after another",
     [](Layer l, Passes, uint32_t) { return l.shape.mean && !holds_groups(l) && l.shape.G > 1; }, 0},
    {"a mean's bounds",
     [](Layer l, Passes, uint32_t) { return l.shape.mean && l.quant.sum_lowest + l.quant.sum_headroom != 0; }, 0},
    {"ifmap rows of higher planes",
     [](Layer l, Passes, uint32_t) { return !l.shape.ifmap_on_chip && l.shape.ifmap_plane_rows > l.shape.H; }, 0},
    {"ofmap rows of higher planes",
     [](Layer l, Passes p, uint32_t) { return !l.shape.ofmap_on_chip && l.shape.ofmap_plane_rows > p.ofmap_rows; }, 0},
    {"residual rows of higher planes",
     [](Layer l, Passes p, uint32_t) {
       return is_placed(l.shape, false, false) && l.shape.residual_plane_rows > p.ofmap_rows;
     },
     0},
    {"a residual where the ofmap will be, of higher planes",
     [](Layer l, Passes p, uint32_t) {
       return is_placed(l.shape, false, false) && is_in_place(l) && l.shape.ofmap_plane_rows > p.ofmap_rows;
     },
     0},
    {"ifmap on chip", [](Layer l, Passes, uint32_t) { return l.shape.ifmap_on_chip; }, 0},
    {"ifmap on chip, behind its planes' last row their first",
     [](Layer l, Passes, uint32_t) { return ifmap_wraps(l.shape); }, 0},
    {"ifmap on chip, padding above, behind its planes' last row their first",
     [](Layer l, Passes, uint32_t) { return ifmap_wraps(l.shape) && l.shape.pad_top != 0; }, 0},
    {"ifmap on chip, from a later column on",
     [](Layer l, Passes, uint32_t) { return l.shape.ifmap_on_chip && l.ifmap_addr >> kDlaColumnLsb != 0; }, 0},
    {"ifmap on chip, several chunks", [](Layer l, Passes p, uint32_t) { return l.shape.ifmap_on_chip && p.c_chunks > 1; },
     0},
    {"ifmap on chip, whole groups in PEs",
     [](Layer l, Passes, uint32_t) { return l.shape.ifmap_on_chip && holds_groups(l); }, 0},
    {"ifmap on chip, a table", [](Layer l, Passes, uint32_t) { return l.shape.ifmap_on_chip && l.shape.lookup; }, 0},
    {"ofmap on chip", [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip; }, 0},
    {"ofmap on chip, behind its planes' last row their first",
     [](Layer l, Passes p, uint32_t) { return ofmap_wraps(l, p); }, 0},
    {"ofmap on chip, from a later column on",
     [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip && l.ofmap_addr >> kDlaColumnLsb != 0; }, 0},
    {"ofmap on chip, pool", [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip && l.shape.pool; }, 0},
    {"ofmap on chip, a mean", [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip && l.shape.mean; }, 0},
    {"ofmap on chip, ifmap in DRAM",
     [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip && !l.shape.ifmap_on_chip; }, 0},
    {"ifmap and ofmap on chip",
     [](Layer l, Passes, uint32_t) { return l.shape.ofmap_on_chip && l.shape.ifmap_on_chip; }, 0},
    {"residual on chip, ofmap in DRAM", [](Layer l, Passes, uint32_t) { return is_placed(l.shape, true, false); }, 0},
    {"residual in DRAM, ofmap on chip", [](Layer l, Passes, uint32_t) { return is_placed(l.shape, false, true); }, 0},
    {"residual and ofmap on chip, apart",
     [](Layer l, Passes, uint32_t) { return is_placed(l.shape, true, true) && !is_in_place(l); }, 0},
    {"residual on chip where the ofmap will be",
     [](Layer l, Passes, uint32_t) { return is_placed(l.shape, true, true) && is_in_place(l); }, 0},
    {"residual on chip, behind its planes' last row their first",
     [](Layer l, Passes p, uint32_t) { return residual_wraps(l, p); }, 0},
    {"all tensors on chip",
     [](Layer l, Passes, uint32_t) { return is_placed(l.shape, true, true) && l.shape.ifmap_on_chip; }, 0},
    {"a lower bound", [](Layer l, Passes, uint32_t) { return l.quant.lowest != 0; }, 0},
    {"relu", [](Layer l, Passes, uint32_t) { return l.quant.lowest == l.quant.ofmap_zero_point; }, 0},
    {"an upper bound", [](Layer l, Passes, uint32_t) { return l.quant.headroom != 0; }, 0},
    {"no bounds", [](Layer l, Passes, uint32_t) { return l.quant.lowest + l.quant.headroom == 0; }, 0},
    {"nearest_even", [](Layer l, Passes, uint32_t) { return l.quant.rounding == kDlaNearestEven; }, 0},
    {"floor", [](Layer l, Passes, uint32_t) { return l.quant.rounding == kDlaFloor; }, 0},
    {"ifmap address not aligned", [](Layer l, Passes, uint32_t) { return l.ifmap_addr % 8 != 0; }, 0},
    {"ofmap address not aligned", [](Layer l, Passes, uint32_t) { return l.ofmap_addr % 8 != 0; }, 0},
    {"padding wider than the filter",
     [](Layer l, Passes, uint32_t) { return l.shape.pad_top >= l.shape.R || l.shape.pad_left >= l.shape.S; }, 0},
    {"padding behind wider than the filter",
     [](Layer l, Passes, uint32_t) { return l.shape.pad_bottom >= l.shape.R || l.shape.pad_right >= l.shape.S; }, 0},
    {"more padding above than below", [](Layer l, Passes, uint32_t) { return l.shape.pad_top > l.shape.pad_bottom; },
     0},
    {"more padding below than above", [](Layer l, Passes, uint32_t) { return l.shape.pad_top < l.shape.pad_bottom; },
     0},
    {"more padding left than right", [](Layer l, Passes, uint32_t) { return l.shape.pad_left > l.shape.pad_right; }, 0},
    {"more padding right than left", [](Layer l, Passes, uint32_t) { return l.shape.pad_left < l.shape.pad_right; }, 0},
    {"the same padding on all sides", [](Layer l, Passes, uint32_t) { return is_padded_evenly(l.shape); }, 0},
    {"U above V", [](Layer l, Passes, uint32_t) { return l.shape.U > l.shape.V; }, 0},
    {"V above U", [](Layer l, Passes, uint32_t) { return l.shape.U < l.shape.V; }, 0},
    {"U above R", [](Layer l, Passes, uint32_t) { return l.shape.U > l.shape.R; }, 0},
    {"V above S", [](Layer l, Passes, uint32_t) { return l.shape.V > l.shape.S; }, 0},
    {"1x1 ofmap", [](Layer, Passes p, uint32_t) { return p.ofmap_rows * p.ofmap_cols == 1; }, 0},
    {"fully connected, 1x1 filters",
     [](Layer l, Passes, uint32_t) { return is_linear(l.shape) && l.shape.R * l.shape.S == 1; }, 0},
    {"fully connected, larger filters",
     [](Layer l, Passes, uint32_t) { return is_linear(l.shape) && l.shape.R * l.shape.S > 1; }, 0},
};

/// A shape letter that must have had each of its values.
struct Letter {
  const char* name;
  uint32_t first, last;
  bool (*is_covered_by)(Layer layer, Passes passes, uint32_t value);
};

constexpr Letter kLetters[] = {
    {"R", DLA_SHAPE_R_MIN, DLA_SHAPE_R_MAX, [](Layer l, Passes, uint32_t value) { return l.shape.R == value; }},
    {"S", DLA_SHAPE_S_MIN, DLA_SHAPE_S_MAX, [](Layer l, Passes, uint32_t value) { return l.shape.S == value; }},
    {"U", DLA_SHAPE_U_MIN, DLA_SHAPE_U_MAX, [](Layer l, Passes, uint32_t value) { return l.shape.U == value; }},
    {"V", DLA_SHAPE_V_MIN, DLA_SHAPE_V_MAX, [](Layer l, Passes, uint32_t value) { return l.shape.V == value; }},
    {"pad_top", DLA_SHAPE_PAD_TOP_MIN, DLA_SHAPE_PAD_TOP_MAX,
     [](Layer l, Passes, uint32_t value) { return l.shape.pad_top == value; }},
    {"pad_left", DLA_SHAPE_PAD_LEFT_MIN, DLA_SHAPE_PAD_LEFT_MAX,
     [](Layer l, Passes, uint32_t value) { return l.shape.pad_left == value; }},
    {"pad_bottom", DLA_SHAPE_PAD_BOTTOM_MIN, DLA_SHAPE_PAD_BOTTOM_MAX,
     [](Layer l, Passes, uint32_t value) { return l.shape.pad_bottom == value; }},
    {"pad_right", DLA_SHAPE_PAD_RIGHT_MIN, DLA_SHAPE_PAD_RIGHT_MAX,
     [](Layer l, Passes, uint32_t value) { return l.shape.pad_right == value; }},
};

std::string name_of(const std::string& letter, uint32_t value) { return letter + " = " + std::to_string(value); }

}  // namespace

LayerCoverage::LayerCoverage() {
  for (const Letter& letter : kLetters) {
    for (uint32_t value = letter.first; value <= letter.last; ++value) {
      rows_.push_back({name_of(letter.name, value), letter.is_covered_by, value});
    }
  }
  rows_.insert(rows_.end(), kKinds.begin(), kKinds.end());
}

void LayerCoverage::add(const dla_layer& layer, const dla_passes& passes) {
  for (CoverageRow& row : rows_) {
    row.seen += row.is_covered_by(layer, passes, row.value);
  }
}

uint32_t LayerCoverage::seen(const std::string& letter, uint32_t value) const {
  for (const CoverageRow& row : rows_) {
    if (row.name == name_of(letter, value)) {
      return row.seen;
    }
  }
  return 0;
}

std::vector<std::string> LayerCoverage::missing() const {
  std::vector<std::string> names;
  for (const CoverageRow& row : rows_) {
    if (row.seen < kEnough) {
      names.push_back(row.name);
    }
  }
  return names;
}

std::string LayerCoverage::format() const {
  std::string table;
  for (const CoverageRow& row : rows_) {
    char line[80];
    std::snprintf(line, sizeof line, "%-40s %5u\n", row.name.c_str(), row.seen);
    table += line;
  }
  return table;
}

}  // namespace fovea
