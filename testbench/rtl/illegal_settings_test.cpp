// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does either device name each wrong setting as dla_check_layer() does, and go on with the next layer?
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench/direct_convolution.h"
#include "bench/small_layer.h"
#include "spec/dla_fields.h"
#include "spec/dla_planes.h"

namespace fovea {
namespace {

/// A change that makes the small layer illegal.
struct Mistake {
  const char* name;
  dla_error cause;
  std::function<void(dla_layer&, const dla_machine&)> make;
};

using L = dla_layer;
using M = dla_machine;

/// Regions laid out anew, so that only what the mistake is about is wrong.
void plan(L& l, const M& m) { ASSERT_EQ(dla_plan_glb(&m, &l.shape, &l.mapping, &l.glb), kDlaErrorNone); }

/// A region smaller by the least number of banks it may be changed by.
void shrink(dla_region& region, const M& m, uint32_t banks) { region.size_bytes -= banks * m.glb_bank_bytes; }

void scale(L& l, float by) {
  l.shape.scaled = true;
  l.quant.scale = by;
}

/// PEs that hold the small layer's groups, each of a channel and a filter.
void hold_groups(L& l) {
  l.shape.G = l.shape.C;
  l.shape.C = l.shape.M = 1;
  l.mapping.g = l.mapping.p = l.mapping.q = 2;
  l.mapping.r = 1;
  l.mapping.m = l.mapping.p * l.mapping.t;
  l.mapping.ifmap_resident = false;
}

/// The ofmap's own bytes, of the same scale.
dla_quant& add_residual(L& l, const M& m) {
  l.shape.residual = true;
  l.residual_addr = l.ofmap_addr;
  l.quant.conv_scale = l.quant.residual_scale = 1;
  l.quant.sum_offset = -128;
  plan(l, m);
  return l.quant;
}

/// Banks side by side, one of each column that tensors on chip are dealt to.
uint32_t bank_row_bytes(const M& m) { return dla_ifmap_columns(&m) * m.glb_bank_bytes; }

/// Regions laid out anew behind so many rows of banks, which are left to tensors on chip.
void keep(L& l, const M& m, uint32_t rows) {
  ASSERT_EQ(dla_plan_glb_behind(&m, &l.shape, &l.mapping, rows * bank_row_bytes(m), &l.glb), kDlaErrorNone);
}

/// The ifmap from the first bank on, which its region begins with. \return that region.
dla_region& put_ifmap_on_chip(L& l, const M& m, uint32_t rows) {
  l.shape.ifmap_on_chip = true;
  l.ifmap_addr = 0;
  keep(l, m, rows);
  l.glb.ifmap = {0, rows * bank_row_bytes(m)};
  return l.glb.ifmap;
}

/// The ofmap from the first bank on.
void put_ofmap_on_chip(L& l, const M& m) {
  l.shape.ofmap_on_chip = true;
  l.ofmap_addr = 0;
  keep(l, m, 1);
}

/// The residual from the first bank on.
void put_residual_on_chip(L& l, const M& m) {
  add_residual(l, m);
  l.shape.residual_on_chip = true;
  l.residual_addr = 0;
  l.ofmap_addr -= l.ofmap_addr % m.bus_bytes;
  keep(l, m, 1);
}

/// Outputs of 7 columns, of which no word ends with a plane of 9 rows.
void narrow(L& l) { l.shape.W = 7; }

/// The mean of a filter's outputs, in strips of all rows.
dla_quant& take_mean(L& l, const M& m) {
  l.shape.mean = true;
  l.mapping.e = l.mapping.e_glb = dla_computed_rows(&l.shape);
  l.mapping.t = 1;
  l.quant.conv_scale = 1;
  plan(l, m);
  return l.quant;
}

const std::vector<Mistake> kMistakes = {
    {"C of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.C = 0; }},
    {"M of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.M = 0; }},
    {"H of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.H = 0; }},
    {"W of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.W = 0; }},
    {"R of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.R = 0; }},
    {"S of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.S = 0; }},
    {"S of 12", kDlaErrorBadShape, [](L& l, const M&) { l.shape.S = 12; }},
    {"U of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.U = 0; }},
    {"V of 0", kDlaErrorBadShape, [](L& l, const M&) { l.shape.V = 0; }},
    {"V of 5", kDlaErrorBadShape, [](L& l, const M&) { l.shape.V = 5; }},
    {"pad_top of 11", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pad_top = 11; }},
    {"pad_left of 11", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pad_left = 11; }},
    {"pad_bottom of 11", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pad_bottom = 11; }},
    {"pad_right of 11", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pad_right = 11; }},
    {"R above the padded ifmap", kDlaErrorBadShape, [](L& l, const M&) { l.shape.R = 11; }},
    {"S above the padded ifmap", kDlaErrorBadShape, [](L& l, const M&) { l.shape.S = 11; }},
    {"one row to pool", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.H = 1;
     }},
    {"one column to pool", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.W = 1;
     }},
    {"a pool of 1", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_size = 1;
     }},
    {"the size of a pool without one", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pool_size = 3; }},
    {"padding of a pool without one", kDlaErrorBadShape, [](L& l, const M&) { l.shape.pool_left = 1; }},
    {"3 rows of padding below what is pooled", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_size = l.shape.pool_bottom = 3;
     }},
    {"2 columns of padding right of a pool of 2", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_right = 2;
     }},
    {"nothing but padding to pool", kDlaErrorBadShape,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_top = l.shape.pool_bottom = 1;
       l.shape.H = l.shape.R = 1;
       l.shape.pad_top = 1;
       l.shape.pad_bottom = 0;
     }},
    {"m of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.m = 0; }},
    {"n of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.n = 0; }},
    {"n of 2", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.n = 2; }},
    {"e of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.e = 0; }},
    {"e above e_glb", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.e_glb = 3; }},
    {"e_glb above E", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.e_glb = 9; }},
    {"p of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.p = 0; }},
    {"q of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.q = 0; }},
    {"r of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.r = 0; }},
    {"t of 0", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.t = 0; }},
    {"one filter buffer", kDlaErrorBadMapping, [](L& l, const M&) { l.mapping.filter_buffers = 1; }},
    {"more rows a fold than the filter has", kDlaErrorBadMapping,
     [](L& l, const M&) { l.mapping.fold_rows = l.shape.R + 1; }},
    {"no filter buffer for chunks that do not stay", kDlaErrorBadMapping,
     [](L& l, const M&) { l.mapping.stay = l.mapping.filter_buffers; }},
    {"a loop order of 1", kDlaErrorBadLoopOrder, [](L& l, const M&) { l.mapping.order = kDlaLoopOrderCount; }},
    {"e odd with pooling", kDlaErrorOddPoolRows,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.mapping.e = 3;
     }},
    {"e_glb odd with pooling", kDlaErrorOddPoolRows,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.mapping.e_glb = 7;
     }},
    {"e even with a pool of 3", kDlaErrorOddPoolRows,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_size = 3;
       l.mapping.e = 2;
       l.mapping.e_glb = 7;
     }},
    {"e_glb even with a pool of 3", kDlaErrorOddPoolRows,
     [](L& l, const M&) {
       l.shape.pool = true;
       l.shape.pool_size = 3;
       l.mapping.e = 3;
       l.mapping.e_glb = 6;
     }},
    {"p other than g * M", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.shape.M = 2;
     }},
    {"q other than g * C", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.shape.C = 2;
     }},
    {"r of 2 with whole groups", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.mapping.r = 2;
     }},
    {"m other than p * t with whole groups", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.mapping.m += 1;
     }},
    {"a resident ifmap with whole groups", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.mapping.ifmap_resident = true;
     }},
    {"groups of more channels than a PE could hold", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.shape.C = 33;
     }},
    {"groups of more filters than a PE could hold", kDlaErrorBadGroups,
     [](L& l, const M&) {
       hold_groups(l);
       l.shape.M = 65;
     }},
    {"q * S above the spad", kDlaErrorIfmapSpadFull,
     [](L& l, const M& m) { l.mapping.q = m.ifmap_spad_bytes / 3 + 1; }},
    {"p * q * S above the spad", kDlaErrorFilterSpadFull,
     [](L& l, const M& m) { l.mapping.p = m.filter_spad_bytes / 12 + 1; }},
    {"p above the filters of a PE", kDlaErrorTooManyPeFilters,
     [](L& l, const M& m) {
       l.mapping.q = 1;
       l.shape.S = 1;
       l.mapping.p = m.max_pe_filters + 1;
     }},
    {"e above the columns", kDlaErrorArrayTooNarrow,
     [](L& l, const M& m) {
       l.shape.H = 32;
       l.mapping.e = m.cols + 1;
       l.mapping.e_glb = 32;
     }},
    {"r sets above the rows", kDlaErrorTooManyChannelSets, [](L& l, const M& m) { l.mapping.r = m.rows / 3 + 1; }},
    {"t sets above the array", kDlaErrorTooManyFilterSets,
     [](L& l, const M& m) { l.mapping.t = (m.rows / 3) * (m.cols / 4) + 1; }},
    {"p * t above the biases", kDlaErrorTooManyPassFilters,
     [](L& l, const M& m) {
       // 1x1 filters and one row a set give the array more sets than a pass may have filters.
       l.shape.R = l.shape.S = 1;
       l.mapping.q = l.mapping.e = 1;
       l.mapping.p = m.max_pe_filters;
       l.mapping.t = m.max_pass_filters / m.max_pe_filters + 1;
     }},
    {"windows of each row above the pooling row", kDlaErrorPoolingRowFull,
     [](L& l, const M& m) {
       l.shape.R = l.shape.S = l.mapping.q = 1;
       l.shape.pool = true;
       l.shape.pool_size = 3;
       l.shape.pool_stride = 1;
       l.mapping.e = 8;
       l.mapping.p = m.max_pe_filters;
       l.mapping.t = std::min(m.rows, m.max_pass_filters / m.max_pe_filters);
     }},
    {"ifmap region one bank a column short", kDlaErrorGlbIfmapSmall,
     [](L& l, const M& m) { shrink(l.glb.ifmap, m, dla_derive_passes(&m, &l.shape, &l.mapping).ifmap_columns); }},
    {"filter region one bank a column short", kDlaErrorGlbFilterSmall,
     [](L& l, const M& m) { shrink(l.glb.filter, m, dla_filter_columns(&m)); }},
    {"psum region one bank a column short", kDlaErrorGlbPsumSmall,
     [](L& l, const M& m) { shrink(l.glb.psum, m, dla_psum_columns(&m)); }},
    {"no psum region", kDlaErrorGlbPsumSmall, [](L& l, const M&) { l.glb.psum.size_bytes = 0; }},
    {"output region one bank a lane short", kDlaErrorGlbOutSmall,
     [](L& l, const M& m) { shrink(l.glb.out, m, m.psum_lanes); }},
    {"output region on top of the psums", kDlaErrorGlbRegionMisplaced,
     [](L& l, const M&) { l.glb.out.base_bytes = l.glb.psum.base_bytes; }},
    {"ifmap region on top of the filters", kDlaErrorGlbRegionMisplaced,
     [](L& l, const M&) { l.glb.ifmap.base_bytes = l.glb.filter.base_bytes; }},
    {"output region beyond the GLB", kDlaErrorGlbRegionMisplaced,
     [](L& l, const M& m) { l.glb.out.base_bytes = m.glb_bytes; }},
    {"ifmap region that is not of whole columns", kDlaErrorGlbRegionMisplaced,
     [](L& l, const M& m) {
       plan(l, m);
       l.glb.psum.base_bytes += m.glb_bank_bytes;
       l.glb.ifmap.size_bytes += m.glb_bank_bytes;
     }},
    {"an ifmap of more rows than its planes", kDlaErrorBadPlane, [](L& l, const M&) { l.shape.ifmap_plane_rows = 7; }},
    {"an ofmap of more rows than its planes", kDlaErrorBadPlane, [](L& l, const M&) { l.shape.ofmap_plane_rows = 7; }},
    {"a residual of more rows than its planes", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.shape.residual_plane_rows = 7;
     }},
    {"an ifmap in DRAM from another row on", kDlaErrorBadPlane, [](L& l, const M&) { l.shape.ifmap_first_row = 1; }},
    {"an ofmap in DRAM from another row on", kDlaErrorBadPlane, [](L& l, const M&) { l.shape.ofmap_first_row = 1; }},
    {"a residual in DRAM from another row on", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.shape.residual_first_row = 1;
     }},
    {"an ifmap from a row behind its planes on", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 1);
       l.shape.ifmap_first_row = 8;
     }},
    {"an ofmap from a row behind its planes on", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       put_ofmap_on_chip(l, m);
       l.shape.ofmap_first_row = 8;
     }},
    {"a residual from a row behind its planes on", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       put_residual_on_chip(l, m);
       l.shape.residual_first_row = 8;
     }},
    {"an ofmap that goes on inside a word", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       narrow(l);
       put_ofmap_on_chip(l, m);
       l.shape.ofmap_plane_rows = 9;
       l.shape.ofmap_first_row = 2;
     }},
    {"a residual that goes on inside a word", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       narrow(l);
       put_residual_on_chip(l, m);
       l.shape.residual_plane_rows = 9;
       l.shape.residual_first_row = 2;
     }},
    {"means with planes of rows", kDlaErrorBadPlane,
     [](L& l, const M& m) {
       take_mean(l, m);
       l.shape.ofmap_plane_rows = 1;
     }},
    {"an ifmap in a column that there is not", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 1);
       l.ifmap_addr = dla_ifmap_columns(&m) << kDlaColumnLsb;
     }},
    {"an ifmap on chip inside a word", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 1);
       l.ifmap_addr = m.bus_bytes / 2;
     }},
    {"an ifmap that leaves the GLB", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 1);
       l.ifmap_addr = dla_column_bytes(&m) - m.bus_bytes;
     }},
    {"an ifmap on chip of more channels than any GLB holds", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 1);
       l.shape.G = l.shape.C = 65535;
     }},
    {"filters on chip of a layer with a table", kDlaErrorBadOnChip,
     [](L& l, const M&) { l.shape.filters_on_chip = l.shape.lookup = true; }},
    {"an ifmap on chip without a region", kDlaErrorBadOnChip,
     [](L& l, const M& m) { put_ifmap_on_chip(l, m, 1).size_bytes = 0; }},
    {"an ifmap on chip in front of its region", kDlaErrorBadOnChip,
     [](L& l, const M& m) { put_ifmap_on_chip(l, m, 2) = {bank_row_bytes(m), bank_row_bytes(m)}; }},
    {"an ifmap on chip behind its region", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 2).size_bytes -= bank_row_bytes(m);
       l.ifmap_addr = m.glb_bank_bytes;
     }},
    {"an ifmap's region that begins in the second column", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ifmap_on_chip(l, m, 3) = {m.glb_bank_bytes, 2 * bank_row_bytes(m)};
       l.ifmap_addr = m.glb_bank_bytes;
     }},
    {"an ofmap that leaves the GLB", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ofmap_on_chip(l, m);
       l.ofmap_addr = dla_column_bytes(&m) - m.bus_bytes;
     }},
    {"an ofmap on chip in a region", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ofmap_on_chip(l, m);
       plan(l, m);
     }},
    {"an ofmap on chip in an ifmap's region that is loaded", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_ofmap_on_chip(l, m);
       std::swap(l.glb.ifmap.base_bytes, l.glb.out.base_bytes);
       l.glb.ifmap.base_bytes = 0;
     }},
    {"an ofmap that an ifmap on chip overlaps", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       l.shape.ofmap_on_chip = true;
       put_ifmap_on_chip(l, m, 1);
       l.ofmap_addr = m.bus_bytes;
     }},
    {"a residual on chip in a region", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_residual_on_chip(l, m);
       plan(l, m);
     }},
    {"a residual that leaves the GLB", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_residual_on_chip(l, m);
       l.residual_addr = dla_column_bytes(&m) - m.bus_bytes;
     }},
    {"a residual in the region of an ifmap on chip", kDlaErrorBadOnChip,
     [](L& l, const M& m) {
       put_residual_on_chip(l, m);
       put_ifmap_on_chip(l, m, 1);
       l.residual_addr = m.glb_bank_bytes / 2;
     }},
    {"filter address off by one", kDlaErrorBadAddress, [](L& l, const M&) { l.filter_addr += 1; }},
    {"ifmap beyond the last address", kDlaErrorBadAddress, [](L& l, const M&) { l.ifmap_addr = 0xffffff00u; }},
    {"a scale of 0", kDlaErrorBadQuant, [](L& l, const M&) { scale(l, 0); }},
    {"a scale of -0", kDlaErrorBadQuant, [](L& l, const M&) { scale(l, -0.0F); }},
    {"a scale below 0", kDlaErrorBadQuant, [](L& l, const M&) { scale(l, -0.5F); }},
    {"an infinite scale", kDlaErrorBadQuant, [](L& l, const M&) { scale(l, std::numeric_limits<float>::infinity()); }},
    {"no number for a scale", kDlaErrorBadQuant,
     [](L& l, const M&) { scale(l, std::numeric_limits<float>::quiet_NaN()); }},
    {"scales a filter of a layer that is not scaled", kDlaErrorBadQuant,
     [](L& l, const M& m) {
       l.shape.filter_scales = true;
       plan(l, m);
     }},
    {"a lower bound above the upper one", kDlaErrorBadQuant,
     [](L& l, const M&) {
       l.quant.lowest = 200;
       l.quant.headroom = 56;
     }},
    {"a mean of pooled outputs", kDlaErrorBadShape,
     [](L& l, const M&) { l.shape.pool = l.shape.mean = true; }},
    {"a mean with a residual", kDlaErrorBadShape, [](L& l, const M&) { l.shape.residual = l.shape.mean = true; }},
    {"a mean with a table", kDlaErrorBadShape, [](L& l, const M&) { l.shape.lookup = l.shape.mean = true; }},
    {"a mean in strips of fewer rows", kDlaErrorBadMapping,
     [](L& l, const M& m) {
       take_mean(l, m);
       --l.mapping.e;
     }},
    {"a mean's scale of 0", kDlaErrorBadQuant, [](L& l, const M& m) { take_mean(l, m).conv_scale = 0; }},
    {"a mean's scale below 0", kDlaErrorBadQuant, [](L& l, const M& m) { take_mean(l, m).conv_scale = -1; }},
    {"an infinite scale of a mean", kDlaErrorBadQuant,
     [](L& l, const M& m) { take_mean(l, m).conv_scale = std::numeric_limits<float>::infinity(); }},
    {"no number for a mean's scale", kDlaErrorBadQuant,
     [](L& l, const M& m) { take_mean(l, m).conv_scale = std::numeric_limits<float>::quiet_NaN(); }},
    {"a mean's lower bound above the upper one", kDlaErrorBadQuant,
     [](L& l, const M& m) {
       take_mean(l, m).sum_lowest = 200;
       l.quant.sum_headroom = 56;
     }},
    {"residual region one bank short", kDlaErrorGlbResidualSmall,
     [](L& l, const M& m) {
       add_residual(l, m);
       shrink(l.glb.residual, m, 1);
     }},
    {"residual region on top of the output", kDlaErrorGlbRegionMisplaced,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.glb.residual.base_bytes = l.glb.out.base_bytes;
     }},
    {"a residual of a pooled layer", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       l.shape.pool = true;
       add_residual(l, m);
     }},
    {"a residual at other bytes of its words", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.residual_addr += m.bus_bytes / 2;
     }},
    {"a residual that the ofmap's end overlaps", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.residual_addr += m.bus_bytes;
     }},
    {"a residual that the ofmap's begin overlaps", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.residual_addr -= m.bus_bytes;
     }},
    {"a residual with other planes on the ofmap's address", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.shape.residual_plane_rows = 9;
     }},
    {"a residual whose planes are at other bytes of their words", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       narrow(l);
       add_residual(l, m);
       l.residual_addr += 4096;
       l.shape.residual_plane_rows = 9;
     }},
    {"a residual on chip that an ofmap there overlaps", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       l.shape.ofmap_on_chip = true;
       l.ofmap_addr = 0;
       put_residual_on_chip(l, m);
       l.ofmap_addr = m.bus_bytes;
     }},
    {"a residual on chip of the ofmap's bytes, but from another row on", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       l.shape.ofmap_on_chip = true;
       l.ofmap_addr = 0;
       put_residual_on_chip(l, m);
       l.shape.residual_first_row = 1;
     }},
    {"a residual beyond the last address", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m);
       l.residual_addr = 0xfffffff0u + l.ofmap_addr % 16;
     }},
    {"a convolution's scale of 0", kDlaErrorBadResidual, [](L& l, const M& m) { add_residual(l, m).conv_scale = 0; }},
    {"a convolution's scale below 0", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).conv_scale = -1; }},
    {"a convolution's scale of 2^41", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).conv_scale = 0x1p41F; }},
    {"a residual's scale below 2^-40", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).residual_scale = 0x1.fffffep-41F; }},
    {"an infinite scale of a residual", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).residual_scale = std::numeric_limits<float>::infinity(); }},
    {"no number for a residual's scale", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).residual_scale = std::numeric_limits<float>::quiet_NaN(); }},
    {"a sum's offset of 2^64", kDlaErrorBadResidual, [](L& l, const M& m) { add_residual(l, m).sum_offset = -0x1p64F; }},
    {"a sum's offset below 2^-64", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).sum_offset = 0x1p-65F; }},
    {"no number for a sum's offset", kDlaErrorBadResidual,
     [](L& l, const M& m) { add_residual(l, m).sum_offset = std::numeric_limits<float>::quiet_NaN(); }},
    {"a sum's lower bound above the upper one", kDlaErrorBadResidual,
     [](L& l, const M& m) {
       add_residual(l, m).sum_lowest = 200;
       l.quant.sum_headroom = 56;
     }},
    {"ofmap beyond the last address", kDlaErrorBadAddress, [](L& l, const M&) { l.ofmap_addr = 0xffffff00u; }},
    {"the outputs of most groups beyond the last address", kDlaErrorBadAddress,
     [](L& l, const M&) {
       l.shape.G = 65535;
       l.ofmap_addr = 0xff000000u;
     }},
    {"the last groups beyond the last address", kDlaErrorBadAddress,
     [](L& l, const M&) {
       l.shape.G = 4;
       l.ifmap_addr = 0u - 4 * l.shape.C * l.shape.H * l.shape.W + 1;
     }},
};

class IllegalSettings : public testing::TestWithParam<Scenario> {
 protected:
  DeviceBench bench{GetParam()};
};

TEST_P(IllegalSettings, EachCauseIsNamedAndTheNextLayerRuns) {
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.name);
    LayerCase test = small_layer(bench.machine());
    bench.place(test);
    mistake.make(test.layer, bench.machine());
    ASSERT_EQ(dla_check_layer(&bench.machine(), &test.layer), mistake.cause);
    const LayerOutcome outcome = bench.start(test.layer);
    ASSERT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
    EXPECT_EQ(outcome.error, mistake.cause) << dla_error_text(outcome.error);
    EXPECT_EQ(bench.read(DLA_STATUS_REG), DLA_STATUS_ERROR_MASK << DLA_STATUS_ERROR_LSB);
    expect_usable(bench);
  }
}

TEST_P(IllegalSettings, TheLeastAndMostNumbersOfASumAreLegal) {
  constexpr struct {
    const char* name;
    float conv_scale, residual_scale, sum_offset;
  } kNumbers[] = {
      {"least scales", 0x1p-40F, 0x1p-40F, 3}, {"most scales", 0x1.fffffep40F, 0x1.fffffep40F, 0},
      {"least offset", 1, 0.5F, 0x1p-64F},     {"least offset below 0", 1, 0.5F, -0x1p-64F},
      {"most offset", 1, 1, 0x1.fffffep63F},   {"most offset below 0", 1, 1, -0x1.fffffep63F},
  };
  for (const auto& numbers : kNumbers) {
    SCOPED_TRACE(numbers.name);
    LayerCase test = small_layer(bench.machine());
    dla_quant& quant = add_residual(test.layer, bench.machine());
    quant.conv_scale = numbers.conv_scale;
    quant.residual_scale = numbers.residual_scale;
    quant.sum_offset = numbers.sum_offset;
    test.residual.resize(ofmap_bytes(test.layer.shape));
    std::iota(test.residual.begin(), test.residual.end(), uint8_t{0});
    const LayerOutcome outcome = bench.run(test);
    ASSERT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
    EXPECT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    EXPECT_EQ(outcome.ofmap, convolve_directly(test));
  }
}

TEST_P(IllegalSettings, AReservedBitOfAnyLayerRegisterIsRefused) {
  LayerCase test = small_layer(bench.machine());
  bench.place(test);
  for (uint32_t word = 0; word < DLA_LAYER_WORDS; ++word) {
    const uint32_t offset = DLA_LAYER_REG + 4 * word;
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if ((dla_layer_used_bits[word] >> bit & 1) != 0) {
        continue;
      }
      SCOPED_TRACE("register " + std::to_string(offset) + " bit " + std::to_string(bit));
      ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
      ASSERT_EQ(bench.hal().write32(bench.hal().ctx, offset, bench.read(offset) | 1u << bit), kDlaOk);
      ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
      ASSERT_EQ(dla_wait(&bench.hal(), 100'000), kDlaOk);
      EXPECT_EQ(bench.read(DLA_ERROR_REG) & DLA_ERROR_CAUSE_MASK, uint32_t{kDlaErrorReservedBits});
      ASSERT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
    }
  }
  expect_usable(bench);
}

TEST(IllegalSettingsTable, TensorsOnChipAreLegalWhereNothingElseIsWrong) {
  for (const char* name : {"eyeriss_6x8", "eyeriss_12x14"}) {
    const DeviceBench bench(name);
    const dla_machine& m = bench.machine();
    for (const auto& put : {std::function<void(L&)>([&](L& l) { put_ifmap_on_chip(l, m, 1); }),
                            std::function<void(L&)>([&](L& l) { put_ofmap_on_chip(l, m); }),
                            std::function<void(L&)>([&](L& l) { put_residual_on_chip(l, m); })}) {
      L l = small_layer(m).layer;
      l.ifmap_addr = l.ofmap_addr = DeviceBench::kMemoryBase;
      put(l);
      EXPECT_EQ(dla_check_layer(&m, &l), kDlaErrorNone) << name;
    }
  }
}

TEST(IllegalSettingsTable, CoversEveryCauseThatALayerCanHave) {
  std::set<int> covered = {kDlaErrorNone, kDlaErrorReservedBits};
  // register_access_test, bus_errors_test, bus_faults_test and lists_test provoke these.
  covered.insert({kDlaErrorBusRead, kDlaErrorBusWrite, kDlaErrorWatchdog, kDlaErrorBusy, kDlaErrorBadAccess,
                  kDlaErrorBadList, kDlaErrorListTooLong});
  for (const Mistake& mistake : kMistakes) {
    covered.insert(mistake.cause);
  }
  for (int cause = 0; cause < kDlaErrorCount; ++cause) {
    EXPECT_EQ(covered.count(cause), 1u) << dla_error_text(static_cast<dla_error>(cause));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, IllegalSettings, testing::ValuesIn(all_scenarios()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace fovea
