// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every error cause of a layer command is reachable, each limit is tight, and the texts say them.
#include "dla_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <set>
#include <string>

#include "dla_macs.h"
#include "dla_planes.h"

namespace {

constexpr dla_machine kMachine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
constexpr dla_machine kWideBus = {12, 14, 12, 224, 24, 110592, 2048, 8, 2, 4, 8, 128};

/// conv2 of the VGG-8, which the machine runs; each case breaks one thing of it.
dla_layer legal_layer(const dla_machine& machine) {
  dla_layer layer{};
  layer.shape = {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true};
  layer.mapping = {16, 1, 8, 4, 4, 2, 1, 16, true, 4, kDlaLoopOrderRowsFiltersChannels};
  layer.quant = {7, kDlaNearestEven, 128, 128, 128};
  EXPECT_EQ(dla_plan_glb(&machine, &layer.shape, &layer.mapping, &layer.glb), kDlaErrorNone);
  layer.ifmap_addr = 3;
  layer.filter_addr = 0x1000;
  layer.ofmap_addr = 0x80001;
  return layer;
}

struct ErrorCase {
  const char* point;
  dla_error expected;
  std::function<void(dla_layer&)> change;
};
void PrintTo(const ErrorCase& c, std::ostream* out) { *out << c.point; }

class LayerCheck : public testing::TestWithParam<ErrorCase> {};

TEST_P(LayerCheck, NamesTheCause) {
  dla_layer layer = legal_layer(kMachine);
  ASSERT_EQ(dla_check_layer(&kMachine, &layer), kDlaErrorNone);
  GetParam().change(layer);
  EXPECT_EQ(dla_check_layer(&kMachine, &layer), GetParam().expected) << GetParam().point;
}

/// The same layer with other rows of PEs, filters or outputs, planned again.
void replan(dla_layer& layer) {
  ASSERT_EQ(dla_plan_glb(&kMachine, &layer.shape, &layer.mapping, &layer.glb), kDlaErrorNone);
}

/// PEs hold two groups of a channel and two filters each, 2 * 2 filters in each of two sets.
void hold_groups(dla_layer& layer) {
  layer.shape.G = 9;
  layer.shape.C = 1;
  layer.shape.M = 2;
  layer.mapping.g = layer.mapping.q = 2;
  layer.mapping.p = 4;
  layer.mapping.r = 1;
  layer.mapping.t = 2;
  layer.mapping.m = 8;
  layer.mapping.ifmap_resident = false;
  replan(layer);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, LayerCheck,
    testing::Values(
        ErrorCase{"whole groups in PEs", kDlaErrorNone, hold_groups},
        ErrorCase{"groups one after another", kDlaErrorNone, [](dla_layer& l) { l.shape.G = 3; }},
        ErrorCase{"g M = 4 of p 3", kDlaErrorBadGroups, [](dla_layer& l) { hold_groups(l), l.mapping.p = 3; }},
        ErrorCase{"g C = 2 of q 1", kDlaErrorBadGroups, [](dla_layer& l) { hold_groups(l), l.mapping.q = 1; }},
        ErrorCase{"r 2 with groups", kDlaErrorBadGroups, [](dla_layer& l) { hold_groups(l), l.mapping.r = 2; }},
        ErrorCase{"p t = 8 of m 9", kDlaErrorBadGroups, [](dla_layer& l) { hold_groups(l), l.mapping.m = 9; }},
        ErrorCase{"resident groups", kDlaErrorBadGroups,
                  [](dla_layer& l) { hold_groups(l), l.mapping.ifmap_resident = true; }},
        ErrorCase{"p C S = 48 of 48", kDlaErrorNone,
                  [](dla_layer& l) {
                    hold_groups(l);
                    l.shape.M = 8, l.mapping.p = 16, l.mapping.m = 32;
                    replan(l);
                  }},
        ErrorCase{"p C S = 72 of 48", kDlaErrorFilterSpadFull,
                  [](dla_layer& l) {
                    hold_groups(l);
                    l.shape.M = 12, l.mapping.p = 24, l.mapping.m = 48;
                  }},
        ErrorCase{"ifmap of groups ends at 4 GiB", kDlaErrorNone,
                  [](dla_layer& l) { hold_groups(l), l.ifmap_addr = 0u - 9 * 16 * 16; }},
        ErrorCase{"ifmap of groups wraps", kDlaErrorBadAddress,
                  [](dla_layer& l) { hold_groups(l), l.ifmap_addr = 1u - 9 * 16 * 16; }},
        ErrorCase{"ofmap of groups ends at 4 GiB", kDlaErrorNone,
                  [](dla_layer& l) { hold_groups(l), l.ofmap_addr = 0u - 18 * 8 * 8; }},
        ErrorCase{"ofmap of groups wraps", kDlaErrorBadAddress,
                  [](dla_layer& l) { hold_groups(l), l.ofmap_addr = 1u - 18 * 8 * 8; }}));

/// Pools 3x3 or 2x2, with a mapping of whole windows.
void pool(dla_layer& layer, unsigned size, unsigned stride) {
  layer.shape.pool_size = size;
  layer.shape.pool_stride = stride;
  layer.mapping.e = size == 3 ? 7 : 5;
  layer.mapping.e_glb = size == 3 ? 15 : 14;
  replan(layer);
}

/// Pools a 1x1 convolution at a stride of 1, e rows of p * t filters a pass.
void pool_each_row(dla_layer& layer, unsigned size, unsigned e, unsigned p, unsigned t) {
  layer.shape.C = layer.shape.R = layer.shape.S = 1;
  layer.shape.pool_size = size;
  layer.shape.pool_stride = 1;
  layer.mapping = {p * t, 1, e, p, 1, 1, t, e, true, 2, kDlaLoopOrderRowsFiltersChannels};
  replan(layer);
}

INSTANTIATE_TEST_SUITE_P(
    Shape, LayerCheck,
    testing::Values(
        ErrorCase{"no channels", kDlaErrorBadShape, [](dla_layer& l) { l.shape.C = 0; }},
        ErrorCase{"too many channels", kDlaErrorBadShape, [](dla_layer& l) { l.shape.C = 65536; }},
        ErrorCase{"too many groups", kDlaErrorBadShape, [](dla_layer& l) { l.shape.G = 65536; }},
        ErrorCase{"no filters", kDlaErrorBadShape, [](dla_layer& l) { l.shape.M = 0; }},
        ErrorCase{"too many filters", kDlaErrorBadShape, [](dla_layer& l) { l.shape.M = 65536; }},
        ErrorCase{"too high", kDlaErrorBadShape, [](dla_layer& l) { l.shape.H = 4096; }},
        ErrorCase{"too wide", kDlaErrorBadShape, [](dla_layer& l) { l.shape.W = 4096; }},
        ErrorCase{"no filter rows", kDlaErrorBadShape, [](dla_layer& l) { l.shape.R = 0; }},
        ErrorCase{"16 filter rows", kDlaErrorBadShape, [](dla_layer& l) { l.shape.R = 16; }},
        ErrorCase{"12 filter columns", kDlaErrorBadShape, [](dla_layer& l) { l.shape.S = 12; }},
        ErrorCase{"no stride", kDlaErrorBadShape, [](dla_layer& l) { l.shape.U = 0; }},
        ErrorCase{"stride 8", kDlaErrorBadShape, [](dla_layer& l) { l.shape.U = 8; }},
        ErrorCase{"no stride along a row", kDlaErrorBadShape, [](dla_layer& l) { l.shape.V = 0; }},
        ErrorCase{"stride 5 along a row", kDlaErrorBadShape, [](dla_layer& l) { l.shape.V = 5; }},
        ErrorCase{"11 rows above", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pad_top = 11; }},
        ErrorCase{"11 columns left", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pad_left = 11; }},
        ErrorCase{"11 rows below", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pad_bottom = 11; }},
        ErrorCase{"11 columns right", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pad_right = 11; }},
        ErrorCase{"filter higher than the padded ifmap", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.H = 8, l.shape.R = 11, l.shape.pool = false; }},
        ErrorCase{"filter wider than the padded ifmap", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.W = 8, l.shape.S = 11, l.shape.pool = false; }},
        ErrorCase{"a pool of 3", kDlaErrorNone, [](dla_layer& l) { pool(l, 3, 0); }},
        ErrorCase{"a pool of 2 at a stride of 3", kDlaErrorNone, [](dla_layer& l) { pool(l, 2, 3); }},
        ErrorCase{"a pool of 1", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pool_size = 1; }},
        ErrorCase{"a pool of 2 at a stride of 1", kDlaErrorNone, [](dla_layer& l) { pool(l, 2, 1); }},
        ErrorCase{"a pool of 3 at a stride of 1", kDlaErrorNone, [](dla_layer& l) { pool(l, 3, 1); }},
        ErrorCase{"a size without a pool", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.pool = false, l.shape.pool_size = 2; }},
        ErrorCase{"padding without a pool", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.pool = false, l.shape.pool_right = 1; }},
        ErrorCase{"3 rows of padding above", kDlaErrorBadShape,
                  [](dla_layer& l) { pool(l, 3, 0), l.shape.pool_top = 3; }},
        ErrorCase{"2 rows of padding above a pool of 3", kDlaErrorNone,
                  [](dla_layer& l) { pool(l, 3, 0), l.shape.pool_top = 2; }},
        ErrorCase{"2 rows of padding above a pool of 2", kDlaErrorBadShape, [](dla_layer& l) { l.shape.pool_top = 2; }},
        ErrorCase{"2 columns of padding right of a pool of 2", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.pool_right = 2; }},
        ErrorCase{"rows of padding alone", kDlaErrorBadShape,
                  [](dla_layer& l) { l.shape.H = 2, l.shape.pool_top = l.shape.pool_bottom = 1; }},
        ErrorCase{"2 of 3 rows to pool", kDlaErrorBadShape, [](dla_layer& l) { pool(l, 3, 0), l.shape.H = 2; }},
        ErrorCase{"2 of 3 columns to pool", kDlaErrorBadShape, [](dla_layer& l) { pool(l, 3, 0), l.shape.W = 2; }},
        ErrorCase{"one row to pool", kDlaErrorBadShape, [](dla_layer& l) { l.shape.H = 1; }},
        ErrorCase{"one column to pool", kDlaErrorBadShape, [](dla_layer& l) { l.shape.W = 2, l.shape.V = 2; }}));

INSTANTIATE_TEST_SUITE_P(
    Mapping, LayerCheck,
    testing::Values(
        ErrorCase{"m 0", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.m = 0; }},
        ErrorCase{"n 2", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.n = 2; }},
        ErrorCase{"e 0", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.e = 0; }},
        ErrorCase{"e above e_glb", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.e_glb = 6; }},
        ErrorCase{"e_glb above E", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.e_glb = 18; }},
        ErrorCase{"e_glb 4096", kDlaErrorBadMapping,
                  [](dla_layer& l) {
                    l.shape.H = 4095;
                    l.shape.R = l.shape.U = l.shape.V = 1;
                    l.shape.pad_top = l.shape.pad_left = l.shape.pad_bottom = l.shape.pad_right = 3;
                    l.mapping.e_glb = 4096;
                  }},
        ErrorCase{"p 64", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.p = 64; }},
        ErrorCase{"q 32", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.q = 32; }},
        ErrorCase{"r 0", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.r = 0; }},
        ErrorCase{"t 256", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.t = 256; }},
        ErrorCase{"one filter buffer", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.filter_buffers = 1; }},
        ErrorCase{"no filter buffer for chunks that do not stay", kDlaErrorBadMapping,
                  [](dla_layer& l) { l.mapping.stay = l.mapping.filter_buffers; }},
        ErrorCase{"more rows a fold than the filter has", kDlaErrorBadMapping,
                  [](dla_layer& l) { l.mapping.fold_rows = l.shape.R + 1; }},
        ErrorCase{"256 filter buffers", kDlaErrorBadMapping, [](dla_layer& l) { l.mapping.filter_buffers = 256; }},
        ErrorCase{"unknown loop order", kDlaErrorBadLoopOrder,
                  [](dla_layer& l) { l.mapping.order = kDlaLoopOrderCount; }},
        ErrorCase{"e 8 of a pool of 3", kDlaErrorOddPoolRows, [](dla_layer& l) { pool(l, 3, 0), l.mapping.e = 8; }},
        ErrorCase{"e 1 of a pool of 3", kDlaErrorOddPoolRows, [](dla_layer& l) { pool(l, 3, 0), l.mapping.e = 1; }},
        ErrorCase{"e_glb 14 of a pool of 3", kDlaErrorOddPoolRows,
                  [](dla_layer& l) { pool(l, 3, 0), l.mapping.e_glb = 14; }},
        ErrorCase{"e 6 of windows 3 apart", kDlaErrorOddPoolRows, [](dla_layer& l) { pool(l, 2, 3), l.mapping.e = 6; }},
        ErrorCase{"e 1 of windows 1 apart", kDlaErrorOddPoolRows, [](dla_layer& l) { pool(l, 2, 1), l.mapping.e = 1; }},
        ErrorCase{"e 2 of a pool of 3, 1 apart", kDlaErrorOddPoolRows,
                  [](dla_layer& l) { pool(l, 3, 1), l.mapping.e = 2; }},
        ErrorCase{"odd e with pooling", kDlaErrorOddPoolRows, [](dla_layer& l) { l.mapping.e = 7; }},
        ErrorCase{"odd e_glb with pooling", kDlaErrorOddPoolRows, [](dla_layer& l) { l.mapping.e_glb = 15; }},
        ErrorCase{"q S = 15 of 12", kDlaErrorIfmapSpadFull, [](dla_layer& l) { l.mapping.q = 5; }},
        ErrorCase{"p q S = 60 of 48", kDlaErrorFilterSpadFull, [](dla_layer& l) { l.mapping.p = 5; }},
        ErrorCase{"p 17 of 16", kDlaErrorTooManyPeFilters,
                  [](dla_layer& l) { l.mapping.p = 17, l.mapping.q = 1, l.shape.S = 2; }},
        ErrorCase{"e 10 of 8", kDlaErrorArrayTooNarrow, [](dla_layer& l) { l.mapping.e = 10; }},
        ErrorCase{"r 3 of 2", kDlaErrorTooManyChannelSets, [](dla_layer& l) { l.mapping.r = 3; }},
        ErrorCase{"t 2 beside r 2", kDlaErrorTooManyFilterSets, [](dla_layer& l) { l.mapping.t = 2; }},
        ErrorCase{
            "p t = 192 of 128", kDlaErrorTooManyPassFilters,
            [](dla_layer& l) { l.shape.R = 1, l.shape.S = 1, l.mapping = {16, 1, 2, 16, 1, 2, 12, 16, true, 4, {}}; }},
        ErrorCase{"64 filters of 4 windows of 3 rows, 2 bytes each", kDlaErrorNone,
                  [](dla_layer& l) { pool_each_row(l, 3, 6, 16, 4); }},
        ErrorCase{"64 filters of 5 windows of 3 rows, 2 bytes each", kDlaErrorPoolingRowFull,
                  [](dla_layer& l) { pool_each_row(l, 3, 7, 16, 4); }},
        ErrorCase{"96 filters of 5 windows of 2 rows, a byte each", kDlaErrorNone,
                  [](dla_layer& l) { pool_each_row(l, 2, 6, 16, 6); }},
        ErrorCase{"96 filters of 6 windows of 2 rows, a byte each", kDlaErrorPoolingRowFull,
                  [](dla_layer& l) { pool_each_row(l, 2, 7, 16, 6); }}));

INSTANTIATE_TEST_SUITE_P(
    Glb, LayerCheck,
    testing::Values(
        ErrorCase{"ifmap", kDlaErrorGlbIfmapSmall, [](dla_layer& l) { l.glb.ifmap.size_bytes -= 4 * 2048; }},
        ErrorCase{"filter", kDlaErrorGlbFilterSmall, [](dla_layer& l) { l.mapping.filter_buffers = 40; }},
        ErrorCase{"psum", kDlaErrorGlbPsumSmall, [](dla_layer& l) { l.glb.psum.size_bytes -= 2048; }},
        ErrorCase{"out", kDlaErrorGlbOutSmall, [](dla_layer& l) { l.glb.out.size_bytes = 0; }},
        ErrorCase{"base within a bank", kDlaErrorGlbRegionMisplaced,
                  [](dla_layer& l) { l.glb.filter.base_bytes += 4; }},
        ErrorCase{"size within a bank", kDlaErrorGlbRegionMisplaced,
                  [](dla_layer& l) { l.glb.filter.size_bytes += 4; }},
        ErrorCase{"ifmap banks no multiple of 4", kDlaErrorGlbRegionMisplaced,
                  [](dla_layer& l) { l.glb.ifmap.size_bytes += 2048; }},
        ErrorCase{"beyond the GLB", kDlaErrorGlbRegionMisplaced, [](dla_layer& l) { l.glb.out.base_bytes = 65536; }},
        ErrorCase{"base + size wraps", kDlaErrorGlbRegionMisplaced,
                  [](dla_layer& l) { l.glb.out.base_bytes = 0xfffff800u; }},
        ErrorCase{"overlap", kDlaErrorGlbRegionMisplaced,
                  [](dla_layer& l) { l.glb.out.base_bytes = l.glb.psum.base_bytes + l.glb.psum.size_bytes - 2048; }},
        ErrorCase{"an empty region overlaps nothing", kDlaErrorNone, [](dla_layer& l) {
                    l.shape.C = 8;
                    replan(l);
                    ASSERT_EQ(l.glb.psum.size_bytes, 0u);
                    l.glb.psum.base_bytes = 2048;
                  }}));

INSTANTIATE_TEST_SUITE_P(
    Address, LayerCheck,
    testing::Values(
        ErrorCase{"filter within a word", kDlaErrorBadAddress, [](dla_layer& l) { l.filter_addr += 2; }},
        ErrorCase{"ifmap ends at 4 GiB", kDlaErrorNone, [](dla_layer& l) { l.ifmap_addr = 0u - 64 * 16 * 16; }},
        ErrorCase{"ifmap wraps", kDlaErrorBadAddress, [](dla_layer& l) { l.ifmap_addr = 1u - 64 * 16 * 16; }},
        ErrorCase{"ofmap ends at 4 GiB", kDlaErrorNone, [](dla_layer& l) { l.ofmap_addr = 0u - 192 * 8 * 8; }},
        ErrorCase{"ofmap wraps", kDlaErrorBadAddress, [](dla_layer& l) { l.ofmap_addr = 1u - 192 * 8 * 8; }}));

/// A layer by this scale.
void scale(dla_layer& layer, float by) {
  layer.shape.scaled = true;
  layer.quant.scale = by;
}

INSTANTIATE_TEST_SUITE_P(
    Quant, LayerCheck,
    testing::Values(ErrorCase{"a scale", kDlaErrorNone, [](dla_layer& l) { scale(l, 0.3F); }},
                    ErrorCase{"the smallest scale", kDlaErrorNone, [](dla_layer& l) { scale(l, 1e-45F); }},
                    ErrorCase{"the largest scale", kDlaErrorNone, [](dla_layer& l) { scale(l, 3.4028235e38F); }},
                    ErrorCase{"a scale of 0", kDlaErrorBadQuant, [](dla_layer& l) { scale(l, 0); }},
                    ErrorCase{"a scale below 0", kDlaErrorBadQuant, [](dla_layer& l) { scale(l, -1e-45F); }},
                    ErrorCase{"an infinite scale", kDlaErrorBadQuant, [](dla_layer& l) { scale(l, HUGE_VALF); }},
                    ErrorCase{"no number for a scale", kDlaErrorBadQuant, [](dla_layer& l) { scale(l, NAN); }},
                    ErrorCase{"a scale that is not looked at", kDlaErrorNone, [](dla_layer& l) { l.quant.scale = -1; }},
                    ErrorCase{"scales of filters", kDlaErrorNone,
                              [](dla_layer& l) {
                                l.shape.scaled = l.shape.filter_scales = true;
                                replan(l);
                              }},
                    ErrorCase{"scales of filters that are not scaled", kDlaErrorBadQuant,
                              [](dla_layer& l) {
                                l.shape.filter_scales = true;
                                replan(l);
                              }},
                    ErrorCase{"bounds that meet", kDlaErrorNone,
                              [](dla_layer& l) { l.quant.lowest = 200, l.quant.headroom = 55; }},
                    ErrorCase{"bounds that cross", kDlaErrorBadQuant,
                              [](dla_layer& l) { l.quant.lowest = 200, l.quant.headroom = 56; }}));

/// A layer that is not pooled, with a residual where its ofmap will be.
dla_quant& add_residual(dla_layer& layer) {
  layer.shape.pool = false;
  layer.shape.residual = true;
  layer.residual_addr = layer.ofmap_addr;
  layer.quant.conv_scale = layer.quant.residual_scale = 1;
  replan(layer);
  return layer.quant;
}

/// A layer of 8 x 8 outputs a filter, of which the mean is written.
dla_quant& take_mean(dla_layer& layer) {
  layer.shape.pool = false;
  layer.shape.mean = true;
  layer.shape.U = layer.shape.V = 2;
  layer.mapping.e = layer.mapping.e_glb = 8;
  layer.quant.conv_scale = 1.0F / 64;
  replan(layer);
  return layer.quant;
}

INSTANTIATE_TEST_SUITE_P(
    Mean, LayerCheck,
    testing::Values(
        ErrorCase{"of all rows", kDlaErrorNone, [](dla_layer& l) { take_mean(l); }},
        ErrorCase{"of a strip's rows", kDlaErrorBadMapping, [](dla_layer& l) { take_mean(l), l.mapping.e = 4; }},
        ErrorCase{"of windows", kDlaErrorBadShape, [](dla_layer& l) { take_mean(l), l.shape.pool = true; }},
        ErrorCase{"of sums", kDlaErrorBadShape, [](dla_layer& l) { take_mean(l), l.shape.residual = true; }},
        ErrorCase{"of a table's", kDlaErrorBadShape, [](dla_layer& l) { take_mean(l), l.shape.lookup = true; }},
        ErrorCase{"the largest scale", kDlaErrorNone, [](dla_layer& l) { take_mean(l).conv_scale = 3.4028235e38F; }},
        ErrorCase{"a scale of 0", kDlaErrorBadQuant, [](dla_layer& l) { take_mean(l).conv_scale = 0; }},
        ErrorCase{"no number", kDlaErrorBadQuant, [](dla_layer& l) { take_mean(l).conv_scale = NAN; }},
        ErrorCase{"bounds that cross", kDlaErrorBadQuant,
                  [](dla_layer& l) { take_mean(l).sum_lowest = 1, l.quant.sum_headroom = 255; }},
        ErrorCase{"a byte a filter", kDlaErrorNone, [](dla_layer& l) { take_mean(l), l.ofmap_addr = 0u - 192; }},
        ErrorCase{"a byte more", kDlaErrorBadAddress, [](dla_layer& l) { take_mean(l), l.ofmap_addr = 1u - 192; }}));

/// Bytes of the ofmap of a layer with a residual.
constexpr uint32_t kOfmapBytes = 192 * 16 * 16;

INSTANTIATE_TEST_SUITE_P(
    Residual, LayerCheck,
    testing::Values(
        ErrorCase{"in place", kDlaErrorNone, [](dla_layer& l) { add_residual(l); }},
        ErrorCase{"behind the ofmap", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l), l.residual_addr += kOfmapBytes; }},
        ErrorCase{"before the ofmap", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l), l.residual_addr = 0, l.ofmap_addr = kOfmapBytes; }},
        ErrorCase{"a word before its end", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.residual_addr += kOfmapBytes - 4; }},
        ErrorCase{"a word behind its begin", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.residual_addr = 4, l.ofmap_addr = kOfmapBytes; }},
        ErrorCase{"at other bytes of its words", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.residual_addr += kOfmapBytes + 1; }},
        ErrorCase{"ends at 4 GiB", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l), l.residual_addr = 0u - kOfmapBytes, l.ofmap_addr = 4; }},
        ErrorCase{"wraps", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.residual_addr = 4u - kOfmapBytes, l.ofmap_addr = 4; }},
        ErrorCase{"region", kDlaErrorGlbResidualSmall,
                  [](dla_layer& l) { add_residual(l), l.glb.residual.size_bytes -= 2048; }},
        ErrorCase{"pooled", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.shape.pool = true, replan(l); }},
        ErrorCase{"least scales", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l).conv_scale = l.quant.residual_scale = 0x1p-40F; }},
        ErrorCase{"most of both", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l).conv_scale = l.quant.residual_scale = 0x1.fffffep40F; }},
        ErrorCase{"conv scale of 0", kDlaErrorBadResidual, [](dla_layer& l) { add_residual(l).conv_scale = 0; }},
        ErrorCase{"residual scale below 0", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l).residual_scale = -1; }},
        ErrorCase{"residual scale of 2^41", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l).residual_scale = 0x1p41F; }},
        ErrorCase{"conv scale NaN", kDlaErrorBadResidual, [](dla_layer& l) { add_residual(l).conv_scale = NAN; }},
        ErrorCase{"offset of 2^-64", kDlaErrorNone, [](dla_layer& l) { add_residual(l).sum_offset = -0x1p-64F; }},
        ErrorCase{"offset below", kDlaErrorBadResidual, [](dla_layer& l) { add_residual(l).sum_offset = 0x1p-65F; }},
        ErrorCase{"offset infinite", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l).sum_offset = -HUGE_VALF; }},
        ErrorCase{"offset NaN", kDlaErrorBadResidual, [](dla_layer& l) { add_residual(l).sum_offset = NAN; }},
        ErrorCase{"bounds that cross", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l).sum_lowest = 1, l.quant.sum_headroom = 255; }}));

/// Rows of planes in DRAM: 20 of an ifmap of 16 rows, 11 of an ofmap of 8.
void put_into_planes(dla_layer& layer) {
  layer.shape.ifmap_plane_rows = 20;
  layer.shape.ofmap_plane_rows = 11;
}

INSTANTIATE_TEST_SUITE_P(
    Planes, LayerCheck,
    testing::Values(
        ErrorCase{"rows of higher planes", kDlaErrorNone, put_into_planes},
        ErrorCase{"all rows of the planes", kDlaErrorNone,
                  [](dla_layer& l) { l.shape.ifmap_plane_rows = 16, l.shape.ofmap_plane_rows = 8; }},
        ErrorCase{"more rows than an ifmap's planes", kDlaErrorBadPlane,
                  [](dla_layer& l) { l.shape.ifmap_plane_rows = 15; }},
        ErrorCase{"more rows than an ofmap's planes", kDlaErrorBadPlane,
                  [](dla_layer& l) { l.shape.ofmap_plane_rows = 7; }},
        ErrorCase{"a first row in DRAM", kDlaErrorBadPlane,
                  [](dla_layer& l) { put_into_planes(l), l.shape.ifmap_first_row = 1; }},
        ErrorCase{"a first row of an ofmap in DRAM", kDlaErrorBadPlane,
                  [](dla_layer& l) { put_into_planes(l), l.shape.ofmap_first_row = 1; }},
        ErrorCase{"planes of means", kDlaErrorBadPlane,
                  [](dla_layer& l) { take_mean(l), l.shape.ofmap_plane_rows = 1; }},
        ErrorCase{"an ifmap's planes end at 4 GiB", kDlaErrorNone,
                  [](dla_layer& l) { put_into_planes(l), l.ifmap_addr = 0u - 64 * 20 * 16; }},
        ErrorCase{"an ifmap's planes wrap", kDlaErrorBadAddress,
                  [](dla_layer& l) { put_into_planes(l), l.ifmap_addr = 1u - 64 * 20 * 16; }},
        ErrorCase{"an ofmap's planes wrap", kDlaErrorBadAddress,
                  [](dla_layer& l) { put_into_planes(l), l.ofmap_addr = 1u - 192 * 11 * 8; }},
        ErrorCase{"a residual's planes", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l), l.shape.residual_plane_rows = 17, l.residual_addr = 1; }},
        ErrorCase{"a residual's planes are lower", kDlaErrorBadPlane,
                  [](dla_layer& l) { add_residual(l), l.shape.residual_plane_rows = 15; }},
        ErrorCase{"other planes in place", kDlaErrorBadResidual,
                  [](dla_layer& l) { add_residual(l), l.shape.residual_plane_rows = 17; }},
        ErrorCase{"the same planes in place", kDlaErrorNone,
                  [](dla_layer& l) { add_residual(l), l.shape.ofmap_plane_rows = l.shape.residual_plane_rows = 17; }},
        ErrorCase{"a residual that is not added", kDlaErrorNone,
                  [](dla_layer& l) { l.shape.residual_plane_rows = 1, l.shape.residual_first_row = 9; }}));

/// A column and a byte of it.
uint32_t on_chip(uint32_t column, uint32_t byte) { return column << kDlaColumnLsb | byte; }

/// 8 channels of 16 x 16 in the first rows of banks, which regions lie behind: all of 512 bytes a column.
void put_ifmap_on_chip(dla_layer& layer) {
  layer.shape.C = 8;
  layer.shape.ifmap_on_chip = true;
  layer.ifmap_addr = on_chip(0, 0);
  ASSERT_EQ(dla_plan_glb_behind(&kMachine, &layer.shape, &layer.mapping, 3 * 4 * 2048, &layer.glb), kDlaErrorNone);
  layer.glb.ifmap = {0, 4 * 2048};
}

/// 16 filters of 8 x 8 there: 256 bytes a column.
void put_ofmap_on_chip(dla_layer& layer) {
  put_ifmap_on_chip(layer);
  layer.shape.M = 16;
  layer.shape.ofmap_on_chip = true;
  layer.ofmap_addr = on_chip(0, 512);
}

/// The same of 8 x 6, in planes of so many rows.
void put_ring_on_chip(dla_layer& layer, uint32_t plane_rows, uint32_t first_row) {
  put_ofmap_on_chip(layer);
  layer.shape.W = 12;
  layer.shape.ofmap_plane_rows = plane_rows;
  layer.shape.ofmap_first_row = first_row;
}

/// 16 filters of 16 x 16 in the next rows of banks, and what is added to them in the same place.
void put_residual_on_chip(dla_layer& layer) {
  put_ofmap_on_chip(layer);
  add_residual(layer);
  layer.shape.residual_on_chip = true;
  ASSERT_EQ(dla_plan_glb_behind(&kMachine, &layer.shape, &layer.mapping, 3 * 4 * 2048, &layer.glb), kDlaErrorNone);
  layer.glb.ifmap = {0, 4 * 2048};
  layer.ofmap_addr = layer.residual_addr = on_chip(0, 2048);
}

INSTANTIATE_TEST_SUITE_P(
    OnChip, LayerCheck,
    testing::Values(
        ErrorCase{"filters", kDlaErrorNone, [](dla_layer& l) { l.shape.filters_on_chip = true; }},
        ErrorCase{"filters of a layer with a table", kDlaErrorBadOnChip,
                  [](dla_layer& l) { l.shape.filters_on_chip = l.shape.lookup = true; }},
        ErrorCase{"an ifmap", kDlaErrorNone, put_ifmap_on_chip},
        ErrorCase{"from column 3 on", kDlaErrorNone,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(3, 8); }},
        ErrorCase{"from column 4 of 4 on", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(4, 0); }},
        ErrorCase{"within a word", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(0, 2); }},
        ErrorCase{"to the end of its region", kDlaErrorNone,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(0, 2048 - 512); }},
        ErrorCase{"a word beyond it", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(0, 2048 - 508); }},
        ErrorCase{"three planes a column", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(1, 2048 - 512); }},
        ErrorCase{"before its region", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.glb.ifmap.base_bytes = 4 * 2048; }},
        ErrorCase{"a region from bank 2 on", kDlaErrorBadOnChip,
                  [](dla_layer& l) {
                    put_ifmap_on_chip(l);
                    l.ifmap_addr = on_chip(0, 2048);
                    l.glb.ifmap = {2 * 2048, 2 * 4 * 2048};
                  }},
        ErrorCase{"a larger region", kDlaErrorNone,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.glb.ifmap.size_bytes = 3 * 4 * 2048; }},
        ErrorCase{"beyond the GLB", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.ifmap_addr = on_chip(0, 65536 / 4 - 508); }},
        ErrorCase{
            "a ring", kDlaErrorNone,
            [](dla_layer& l) { put_ifmap_on_chip(l), l.shape.ifmap_plane_rows = 17, l.shape.ifmap_first_row = 16; }},
        ErrorCase{"a first row behind the planes' last", kDlaErrorBadPlane,
                  [](dla_layer& l) { put_ifmap_on_chip(l), l.shape.ifmap_first_row = 16; }},
        ErrorCase{"an ofmap beside it", kDlaErrorNone, put_ofmap_on_chip},
        ErrorCase{"an ofmap a word too early", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.ofmap_addr = on_chip(0, 508); }},
        ErrorCase{"an ofmap in a region", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.ofmap_addr = on_chip(0, 3 * 2048); }},
        ErrorCase{"an ofmap's last word in a region's row of banks", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.ofmap_addr = on_chip(0, 3 * 2048 - 252); }},
        ErrorCase{"an ofmap up to there", kDlaErrorNone,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.ofmap_addr = on_chip(0, 3 * 2048 - 256); }},
        ErrorCase{"an ofmap in the region of an ifmap that is loaded", kDlaErrorBadOnChip,
                  [](dla_layer& l) {
                    put_ofmap_on_chip(l);
                    l.shape.ifmap_on_chip = false;
                    l.glb.ifmap = {0, 3 * 4 * 2048};
                  }},
        ErrorCase{"an ofmap's ring of whole words", kDlaErrorNone,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.shape.ofmap_first_row = 5; }},
        ErrorCase{"a ring of 10 rows of 6, 15 words", kDlaErrorNone, [](dla_layer& l) { put_ring_on_chip(l, 10, 5); }},
        ErrorCase{"a ring of 9 rows of 6, no whole words", kDlaErrorBadPlane,
                  [](dla_layer& l) { put_ring_on_chip(l, 9, 2); }},
        ErrorCase{"9 rows of 6, to the planes' end", kDlaErrorNone, [](dla_layer& l) { put_ring_on_chip(l, 9, 1); }},
        ErrorCase{"4 GiB are no limit", kDlaErrorNone,
                  [](dla_layer& l) { put_ofmap_on_chip(l), l.ofmap_addr = on_chip(3, 1024); }},
        ErrorCase{"a residual in place", kDlaErrorNone, put_residual_on_chip},
        ErrorCase{"a residual in the ifmap's region", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_residual_on_chip(l), l.residual_addr = on_chip(0, 512); }},
        ErrorCase{"a residual within a word", kDlaErrorBadOnChip,
                  [](dla_layer& l) { put_residual_on_chip(l), l.residual_addr += 1; }},
        ErrorCase{"a residual behind the ofmap", kDlaErrorNone,
                  [](dla_layer& l) { put_residual_on_chip(l), l.residual_addr = on_chip(2, 2048 + 4 * 256); }},
        ErrorCase{"a residual over the ofmap's end", kDlaErrorBadResidual,
                  [](dla_layer& l) { put_residual_on_chip(l), l.residual_addr = on_chip(0, 2048 + 4 * 256 - 4); }},
        ErrorCase{"another first row in place", kDlaErrorBadResidual,
                  [](dla_layer& l) { put_residual_on_chip(l), l.shape.residual_first_row = 4; }},
        ErrorCase{"an ofmap in DRAM", kDlaErrorNone,
                  [](dla_layer& l) { put_residual_on_chip(l), l.shape.ofmap_on_chip = false, l.ofmap_addr = 0x80000; }},
        ErrorCase{"an ofmap in DRAM at other bytes of its words", kDlaErrorBadResidual,
                  [](dla_layer& l) { put_residual_on_chip(l), l.shape.ofmap_on_chip = false, l.ofmap_addr = 0x80001; }},
        ErrorCase{"a residual that is not added, anywhere", kDlaErrorNone, [](dla_layer& l) {
                    put_ofmap_on_chip(l), l.shape.residual_on_chip = true, l.residual_addr = on_chip(200, 1);
                  }}));

TEST(LayerCheckWideBus, OutputBanksComeInLanes) {
  dla_layer layer = legal_layer(kWideBus);
  // Behind the psums, where there is room.
  layer.glb.out.base_bytes = layer.glb.psum.base_bytes + layer.glb.psum.size_bytes;
  ASSERT_EQ(dla_check_layer(&kWideBus, &layer), kDlaErrorNone);
  layer.glb.out.size_bytes += kWideBus.glb_bank_bytes;
  EXPECT_EQ(dla_check_layer(&kWideBus, &layer), kDlaErrorGlbRegionMisplaced);
  layer.glb.out.size_bytes = kWideBus.glb_bank_bytes;
  EXPECT_EQ(dla_check_layer(&kWideBus, &layer), kDlaErrorGlbOutSmall);
}

/// Four lanes: 128 * 4 / 2 + 63 words of two bytes. 16 filters a PE, two sets of 8 rows take 16 * 4 words a byte deep.
TEST(LayerCheckLanes, PoolingRowHoldsTwoBytesAPairOrFour) {
  dla_machine machine = kMachine;
  machine.psum_lanes = 4;
  dla_layer layer{};
  layer.shape = {8, 20, 20, 96, 1, 1, 1, 1, 0, 0, 0, 0, true};
  layer.shape.pool_stride = 1;
  const auto check = [&](unsigned size, unsigned t) {
    layer.shape.pool_size = size;
    layer.mapping = {16 * t, 1, 8, 16, 1, 1, t, 8, false, 2, kDlaLoopOrderRowsFiltersChannels};
    return dla_check_mapping(&machine, &layer.shape, &layer.mapping);
  };
  EXPECT_EQ(check(3, 2), kDlaErrorNone);            // 16 * 4 * 4 of 319 words.
  EXPECT_EQ(check(3, 3), kDlaErrorPoolingRowFull);  // 16 * 6 * 4.
  EXPECT_EQ(check(2, 4), kDlaErrorNone);            // 16 * 8 * 2.
  EXPECT_EQ(check(2, 5), kDlaErrorPoolingRowFull);  // 16 * 10 * 2.
  layer.shape.pool_stride = 2;
  EXPECT_EQ(check(2, 6), kDlaErrorNone);  // 16 * 12.
}

TEST(LayerCheckMore, MoreFiltersATileThanThereAreIsLegal) {
  dla_layer layer = legal_layer(kMachine);
  layer.shape.M = 10;
  EXPECT_EQ(dla_check_layer(&kMachine, &layer), kDlaErrorNone);
}

TEST(ErrorText, SaysTheLimitsOfTheFields) {
  EXPECT_STREQ(dla_error_text(kDlaErrorBadShape),
               "a shape field is zero or out of range, or the filter is larger than the padded ifmap. "
               "Limits: R 1 to 15; S 1 to 11; U 1 to 7; V 1 to 4; pad_top, pad_left, pad_bottom, pad_right 0 to 10. "
               "A pool has 2 or 3 rows and columns, smaller padding, and a whole window with more than padding. "
               "A mean excludes a pool, a residual and a table");
  EXPECT_STREQ(dla_error_text(kDlaErrorBadMapping),
               "a mapping field is zero or out of range. Limits: n is 1, e at most e_glb, e_glb at most E, "
               "filter_buffers at least 2 and more than stay, fold_rows at most R. A mean needs e = E");
}

TEST(ErrorText, IsThereForEveryCauseAndOnlyOnce) {
  std::set<std::string> texts = {dla_error_text(static_cast<dla_error>(255))};
  for (int i = 0; i < kDlaErrorCount; ++i) {
    EXPECT_TRUE(texts.insert(dla_error_text(static_cast<dla_error>(i))).second) << i;
  }
}

TEST(DlaMacs, ArentOfOddRowsAndColumnsThatNoWindowTakes) {
  dla_shape shape = {1, 5, 7, 1, 1, 1, 1, 1, 0, 0, 0, 0, false};
  EXPECT_EQ(dla_count_macs(&shape), 35u);
  shape.pool = true;
  EXPECT_EQ(dla_count_macs(&shape), 24u);
}

}  // namespace
