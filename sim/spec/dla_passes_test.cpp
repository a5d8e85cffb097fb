// SPDX-License-Identifier: Apache-2.0
/// \file
/// The formulas of a pass and the GLB's regions against counting, one item at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "dla_layer.h"
#include "drawn_layers.h"

namespace {

TEST(Passes, OutputsAreTheWindowsThatFit) {
  for (const Drawn& d : draw_legal(1, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const auto windows = [&](unsigned size, unsigned filter, unsigned stride) {
      unsigned count = 0;
      for (unsigned at = 0; at + filter <= size; at += stride) {
        ++count;
      }
      return count;
    };
    const unsigned rows = windows(d.shape.pad_top + d.shape.H + d.shape.pad_bottom, d.shape.R, d.shape.U);
    const unsigned cols = windows(d.shape.pad_left + d.shape.W + d.shape.pad_right, d.shape.S, d.shape.V);
    EXPECT_EQ(passes.ofmap_rows, count_windows(d.shape, rows));
    EXPECT_EQ(passes.ofmap_cols, count_windows(d.shape, cols));
    EXPECT_EQ(passes.ofmap_rows, count_windows(d.shape, passes.E));
    EXPECT_EQ(passes.ofmap_cols, count_windows(d.shape, passes.F));
    EXPECT_EQ(passes.ofmap_rows, count_windows(d.shape, passes.E - 1) + 1) << "the last row ends a window";
    EXPECT_EQ(passes.ofmap_cols, count_windows(d.shape, passes.F - 1) + 1);
  }
}

TEST(Passes, SetsFitTheArray) {
  for (const Drawn& d : draw_legal(2, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    EXPECT_LE(passes.fold_rows, d.machine.rows);
    EXPECT_GE(passes.folds * passes.fold_rows, d.shape.R);
    EXPECT_LT((passes.folds - 1) * passes.fold_rows, d.shape.R) << "the last fold is empty";
    EXPECT_LE(passes.sets_high * passes.fold_rows, d.machine.rows);
    EXPECT_GT((passes.sets_high + 1) * passes.fold_rows, d.machine.rows);
    EXPECT_LE(d.mapping.r * passes.filters_high, passes.sets_high);
    EXPECT_LE(passes.sets_wide * d.mapping.e, d.machine.cols);
    EXPECT_GE(passes.filters_high * passes.sets_wide, d.mapping.t);
  }
}

/// The most rows that any tile of e_glb rows reads, and the words they span from any byte address.
TEST(Passes, IfmapPlaneHoldsEveryTileAtEveryAlignment) {
  for (const Drawn& d : draw_legal(3, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    unsigned most_words = 0, tiles = 0;
    for_row_tiles(d.shape, passes.E, d.mapping.e_glb, [&](unsigned row0, unsigned rows) {
      std::set<int> read;
      for (unsigned row = row0 * d.shape.U; row < (row0 + rows - 1) * d.shape.U + d.shape.R; ++row) {
        const int y = static_cast<int>(row) - static_cast<int>(d.shape.pad_top);
        if (y >= 0 && y < static_cast<int>(d.shape.H)) {
          read.insert(y);
        }
      }
      const unsigned bytes = static_cast<unsigned>(read.size()) * d.shape.W;
      for (unsigned first = 0; first < d.machine.bus_bytes && bytes > 0; ++first) {
        most_words = std::max(most_words, (first + bytes - 1) / d.machine.bus_bytes + 1);
      }
      ++tiles;
    });
    EXPECT_EQ(passes.e_tiles, tiles);
    EXPECT_GE(passes.ifmap_plane_words, most_words);
    if (passes.e_tiles == 1 && d.shape.pad_top == 0 && d.shape.pad_bottom == 0 && d.shape.U == 1) {
      EXPECT_EQ(passes.ifmap_plane_words, most_words) << "larger than need be";
    }
  }
}

/// Resident channels are packed through all chunks; a streamed chunk starts at column 0 of its own buffer.
TEST(Passes, IfmapColumnsHoldTheirChannels) {
  for (const Drawn& d : draw_legal(4, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const unsigned chunk = d.mapping.q * (d.mapping.g == 0 ? d.mapping.r : d.mapping.t);
    std::vector<unsigned> planes(d.machine.ifmap_bytes_per_cycle);
    for (unsigned c = 0; c < (d.mapping.ifmap_resident ? d.shape.C : chunk); ++c) {
      planes[c % planes.size()] += d.mapping.ifmap_resident ? 1 : 2;
    }
    unsigned chunks = 0;
    for_tiles(d.mapping.g == 0 ? d.shape.C : chunk, chunk, [&](unsigned, unsigned) { ++chunks; });
    EXPECT_EQ(passes.c_chunks, chunks);
    EXPECT_EQ(passes.ifmap_buffers, d.mapping.ifmap_resident ? chunks : 2);
    const unsigned fullest = *std::max_element(planes.begin(), planes.end());
    const auto used = static_cast<unsigned>(planes.size() - std::count(planes.begin(), planes.end(), 0u));
    EXPECT_EQ(passes.ifmap_columns, std::bit_ceil(used));
    EXPECT_EQ(passes.ifmap_column_bytes, fullest * passes.ifmap_plane_words * d.machine.bus_bytes);
  }
}

TEST(Passes, PsumBlocksHoldEveryPsum) {
  for (const Drawn& d : draw_legal(5, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    unsigned bytes = 0;  // A column's psums of one filter: e rows and t sets, in whole words of network and GLB.
    const unsigned lanes = d.machine.psum_lanes;
    for_tiles(d.mapping.e * d.mapping.t, lanes,
              [&](unsigned, unsigned) { bytes += std::max(4 * lanes, d.machine.bus_bytes); });
    EXPECT_EQ(passes.psum_block_bytes, passes.F * d.mapping.p * bytes);
    unsigned blocks = 0;
    for_tiles(d.mapping.g == 0 ? std::min(d.mapping.m, d.shape.M) : d.mapping.m, d.mapping.p * d.mapping.t,
              [&](unsigned, unsigned) {
                for_row_tiles(d.shape, d.mapping.e_glb, d.mapping.e, [&](unsigned, unsigned) { ++blocks; });
              });
    const bool one_pass = passes.c_chunks == 1 && passes.folds == 1;
    EXPECT_EQ(passes.psum_bytes, one_pass ? 0 : blocks * passes.psum_block_bytes);
  }
}

TEST(Passes, OutLanesHoldATile) {
  for (const Drawn& d : draw_legal(6, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const unsigned lanes = d.machine.psum_lanes, cols = count_windows(d.shape, passes.F);
    // Of the first lane, the fullest: psum i of a column is in lane i % lanes. Pooled, a row is where its last psum
    // would be, but in a lone lane, where it is behind the one before.
    const unsigned rows = lanes == 1 ? count_windows(d.shape, d.mapping.e) : d.mapping.e;
    unsigned words = 0;
    for (unsigned p = 0; p < d.mapping.p; ++p) {
      for (unsigned i = 0; i < rows * d.mapping.t; ++i) {
        const bool counted = i % lanes == 0;
        for (unsigned col = 0; counted && col < cols; col += d.machine.bus_bytes) {
          ++words;
        }
      }
    }
    EXPECT_EQ(passes.out_lane_bytes, words * d.machine.bus_bytes);
  }
}

TEST(GlbPlan, IsLegalAndAsSmallAsCanBe) {
  int fits = 0;
  for (const Drawn& d : draw_legal(7, 600)) {
    dla_layer layer{};
    layer.shape = d.shape;
    layer.mapping = d.mapping;
    layer.quant.scale = layer.quant.conv_scale = layer.quant.residual_scale = 1;
    if (dla_plan_glb(&d.machine, &d.shape, &d.mapping, &layer.glb) != kDlaErrorNone) {
      continue;
    }
    ++fits;
    ASSERT_EQ(dla_check_layer(&d.machine, &layer), kDlaErrorNone);
    EXPECT_EQ(layer.glb.out.base_bytes, 0u);
    EXPECT_GE(layer.glb.filter.base_bytes, layer.glb.out.size_bytes + layer.glb.residual.size_bytes);
    const unsigned bank = d.machine.glb_bank_bytes;
    const std::tuple<dla_region*, unsigned, dla_error> regions[] = {
        {&layer.glb.ifmap, dla_derive_passes(&d.machine, &d.shape, &d.mapping).ifmap_columns * bank,
         kDlaErrorGlbIfmapSmall},
        {&layer.glb.filter, dla_filter_columns(&d.machine) * bank, kDlaErrorGlbFilterSmall},
        {&layer.glb.psum, dla_psum_columns(&d.machine) * bank, kDlaErrorGlbPsumSmall},
        {&layer.glb.out, dla_out_columns(&d.machine) * bank, kDlaErrorGlbOutSmall},
        {&layer.glb.residual, bank, kDlaErrorGlbResidualSmall}};
    for (const auto& [region, step, error] : regions) {
      if (region->size_bytes != 0) {
        region->size_bytes -= step;
        EXPECT_EQ(dla_check_layer(&d.machine, &layer), error);
        region->size_bytes += step;
      }
    }
  }
  EXPECT_GT(fits, 100);
}

TEST(Passes, StridesAreThoseOfWholePlanes) {
  unsigned seed = 0;
  for (const Drawn& d : draw_legal(8, 400)) {
    dla_layer layer{};
    layer.shape = d.shape;
    draw_places(d.machine, seed++, layer);
    const dla_shape& s = layer.shape;
    const dla_passes passes = dla_derive_passes(&d.machine, &s, &d.mapping);
    const auto stride = [&](bool on_chip, unsigned plane_rows, unsigned rows, unsigned cols) {
      unsigned bytes = 0;
      for (unsigned row = 0; row < (plane_rows == 0 ? rows : plane_rows); ++row) {
        bytes += cols;
      }
      while (on_chip && bytes % d.machine.bus_bytes != 0) {
        ++bytes;
      }
      return bytes;
    };
    const unsigned rows = s.mean ? 1 : passes.ofmap_rows, cols = s.mean ? 1 : passes.ofmap_cols;
    EXPECT_EQ(passes.ifmap_stride, stride(s.ifmap_on_chip, s.ifmap_plane_rows, s.H, s.W));
    EXPECT_EQ(passes.ofmap_stride, stride(s.ofmap_on_chip, s.ofmap_plane_rows, rows, cols));
    EXPECT_EQ(passes.residual_stride, stride(s.residual_on_chip, s.residual_plane_rows, rows, cols));
    EXPECT_EQ(passes.residual_tile_bytes == 0, !s.residual || s.residual_on_chip);
    EXPECT_EQ(passes.ifmap_buffers == 0, s.ifmap_on_chip);
  }
}

/// Regions behind the bytes that are kept are those of a GLB that begins there.
TEST(GlbPlan, LeavesAloneWhatIsKept) {
  unsigned seed = 0, fits = 0;
  for (const Drawn& d : draw_legal(9, 400)) {
    const unsigned kept = (1 + seed % 7) * d.machine.glb_bank_bytes;
    dla_shape shape = d.shape;
    shape.ifmap_on_chip = seed++ % 2 == 1;
    dla_machine smaller = d.machine;
    smaller.glb_bytes -= kept;
    dla_glb_plan plan{}, behind{};
    const dla_error error = dla_plan_glb(&smaller, &shape, &d.mapping, &plan);
    ASSERT_EQ(dla_plan_glb_behind(&d.machine, &shape, &d.mapping, kept, &behind), error);
    if (error != kDlaErrorNone) {
      continue;
    }
    ++fits;
    EXPECT_EQ(behind.ifmap.size_bytes == 0, shape.ifmap_on_chip);
    for (const auto region : {&dla_glb_plan::ifmap, &dla_glb_plan::filter, &dla_glb_plan::psum, &dla_glb_plan::out,
                              &dla_glb_plan::residual}) {
      EXPECT_EQ((behind.*region).size_bytes, (plan.*region).size_bytes);
      const bool is_placed = (plan.*region).size_bytes != 0;
      EXPECT_TRUE(!is_placed || (behind.*region).base_bytes == (plan.*region).base_bytes + kept);
    }
  }
  EXPECT_GT(fits, 50u);
}

TEST(GlbPlan, SaysWhichRegionDoesNotFit) {
  const dla_machine& machine = kMachines[0];
  dla_glb_plan plan;
  const dla_shape conv = {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, false};
  dla_mapping mapping = {192, 1, 8, 4, 4, 2, 1, 16, true, 4, {}};
  EXPECT_EQ(dla_plan_glb(&machine, &conv, &mapping, &plan), kDlaErrorGlbPsumSmall);
  mapping.filter_buffers = 255;
  EXPECT_EQ(dla_plan_glb(&machine, &conv, &mapping, &plan), kDlaErrorGlbFilterSmall);
  dla_shape large = conv;
  large.H = large.W = 4095;
  large.C = 65535;
  mapping.e_glb = 4095;
  EXPECT_EQ(dla_plan_glb(&machine, &large, &mapping, &plan), kDlaErrorGlbIfmapSmall) << "sizes beyond 32 bits";
}

}  // namespace
