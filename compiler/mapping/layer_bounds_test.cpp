// SPDX-License-Identifier: Apache-2.0
/// \file
/// No bound is above what a mapping of its set costs, and none is trivially low.
#include "layer_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "filter_tile_bounds.h"
#include "mapping_space.h"
#include "search_mapping.h"
#include "spec/drawn_layers.h"

namespace fovea {
namespace {

void expect_below(const Figures& bound, const Figures& figures) {
  EXPECT_LE(bound.cycles, figures.cycles);
  EXPECT_LE(bound.array_cycles, figures.array_cycles);
  EXPECT_LE(bound.dram_bytes, figures.dram_bytes);
  EXPECT_LE(bound.passes, figures.passes);
  EXPECT_LE(bound.energy, figures.energy);
  EXPECT_GE(bound.filter_buffers, figures.filter_buffers);
}

TEST(LayerBounds, AreBelowWhatMappingsCost) {
  const AccessEnergy costs;
  double cycles = 0, bound_cycles = 0;
  int checked = 0;
  for (const Drawn& d : draw_placed(33, 4000)) {
    const std::uint32_t most = most_filters(d.machine, d.shape, d.mapping);
    if (d.mapping.m > most) {
      continue;
    }
    const Figures figures = price_figures(d.machine, &costs, d.shape, d.mapping);
    const LayerBounds bounds(d.machine, &costs, d.shape);
    expect_below(bounds.of_array(d.mapping).figures, figures);
    if (d.mapping.m != most && d.mapping.m % filter_tile_step(d.shape, d.mapping) != 0) {
      continue;  // No m that is worth a look.
    }
    const Bound tiles = bounds.of_tiles(d.mapping, most);
    expect_below(tiles.figures, figures);
    Figures of_m = tiles.figures;
    if (d.mapping.g == 0) {
      FilterTileBounds of_tiles(d.machine, d.shape, d.mapping);
      of_tiles.set_residency(d.mapping.ifmap_resident, tiles);
      of_m = of_tiles.of(d.mapping.m);
      expect_below(of_tiles.of_first(std::min(d.mapping.m, d.mapping.p * d.mapping.t)), figures);
      expect_below(of_tiles.of_passes(d.mapping.m), of_m);
      expect_below(of_tiles.of_groups(d.mapping.m), of_tiles.of_passes(d.mapping.m));
    }
    expect_below(of_m, figures);
    ++checked;
    ASSERT_FALSE(HasFailure()) << d.mapping.m << " " << d.shape.C;
    cycles += static_cast<double>(figures.cycles);
    bound_cycles += static_cast<double>(of_m.cycles);
  }
  EXPECT_GT(checked, 1000);
  EXPECT_GT(bound_cycles, 0.8 * cycles) << "a bound that rules nothing out is no use";
}

/// Fully connected layers as many short chunks: where the cost model takes less than the bus, the array's part of a
/// bound still holds, which decides whether a factoring is searched at all.
TEST(LayerBounds, ArrayPartHoldsWhereTheModelBeatsTheBus) {
  const dla_machine machine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
  const AccessEnergy costs;
  int beaten = 0;
  for (const dla_shape& shape : {dla_shape{256, 4, 2, 10, 4, 2, 1, 1, 0, 0, 0, 0, false},
                                 dla_shape{128, 2, 2, 64, 2, 2, 1, 1, 0, 0, 0, 0, false}}) {
    const LayerBounds bounds(machine, nullptr, shape);
    for (dla_mapping mapping : array_mappings(machine, shape)) {
      const Figures array = bounds.of_array(mapping).figures;
      mapping.m = most_filters(machine, shape, mapping);
      mapping.filter_buffers = most_filter_buffers(machine, shape, mapping);
      const Figures figures = price_figures(machine, &costs, shape, mapping);
      const Bound tiles = bounds.of_tiles(mapping, mapping.m);
      FilterTileBounds of_tiles(machine, shape, mapping);
      of_tiles.set_residency(mapping.ifmap_resident, tiles);
      const Figures of_m = of_tiles.of(mapping.m);
      ASSERT_LE(std::max({array.array_cycles, tiles.figures.array_cycles, of_m.array_cycles}), figures.cycles);
      beaten += of_m.cycles > figures.cycles ? 1 : 0;
    }
  }
  EXPECT_GT(beaten, 0) << "the bus bound may be array_cycles too";
}

/// A family of arrays is as good as its widest one: what lets the search leave out all of it.
TEST(LayerBounds, OfTheLargestTAreBelowThoseOfItsFamily) {
  const AccessEnergy costs;
  std::size_t members = 0, families = 0;
  for (const Drawn& d : draw_placed(35, 80)) {
    const LayerBounds bounds(d.machine, &costs, d.shape);
    for (const ArrayFamily& family : array_families(d.machine, d.shape)) {
      const Bound widest = bounds.of_array(family.widest());
      const std::vector<dla_mapping> all = members_of(d.machine, d.shape, family);
      ASSERT_EQ(all.size(), family.count);
      ASSERT_EQ(all.back().t, family.most_t);
      for (const dla_mapping& member : all) {
        const Bound bound = bounds.of_array(member);
        expect_below(widest.figures, bound.figures);
        EXPECT_LE(widest.coarse_cycles, bound.coarse_cycles);
        ASSERT_FALSE(HasFailure()) << member.t << " of " << family.most_t;
      }
      members += all.size();
      ++families;
    }
  }
  EXPECT_GT(members, 2 * families);
}

/// most_filters() and most_filter_buffers() by trying one after another.
TEST(GlbRoom, EqualsTrying) {
  int limited = 0;
  for (const Drawn& d : draw_placed(34, 500)) {
    dla_machine machine = d.machine;
    machine.glb_bytes = 16 * machine.glb_bank_bytes;
    const auto plans = [&](std::uint32_t m, std::uint32_t buffers) {
      dla_mapping mapping = d.mapping;
      mapping.m = m;
      mapping.filter_buffers = buffers;
      dla_glb_plan plan;
      return dla_plan_glb(&machine, &d.shape, &mapping, &plan) == kDlaErrorNone;
    };
    std::uint32_t most = 0;
    if (d.mapping.g != 0) {
      most = plans(d.mapping.m, 2) ? d.mapping.m : 0;  // One tile is all that PEs hold.
    } else {
      while (most < d.shape.M && plans(most + 1, 2)) {
        ++most;
      }
    }
    ASSERT_EQ(most_filters(machine, d.shape, d.mapping), most);
    limited += d.mapping.g == 0 && most != 0 && most != d.shape.M ? 1 : 0;
    if (plans(d.mapping.m, 2)) {
      std::uint32_t buffers = 2;
      while (buffers < kMostFilterBuffers && plans(d.mapping.m, buffers + 1)) {
        ++buffers;
      }
      ASSERT_EQ(most_filter_buffers(machine, d.shape, d.mapping), buffers);
    }
  }
  EXPECT_GT(limited, 10);
}

}  // namespace
}  // namespace fovea
