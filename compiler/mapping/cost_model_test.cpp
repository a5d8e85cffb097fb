// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model against walking a layer's passes one after another, and the formulas of a pass against
/// docs/timing.md.
#include "cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "spec/drawn_layers.h"

namespace fovea {
namespace {

constexpr dla_machine kSmallAndLarge[] = {{6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128},
                                          {12, 14, 12, 224, 24, 110592, 2048, 8, 2, 4, 8, 128}};

std::uint64_t words_touched(std::uint64_t start, std::uint64_t bytes, std::uint64_t bus) {
  return (start + bytes - 1) / bus - start / bus + 1;
}

/// Multiplying cycles and DRAM bytes of a layer.
struct Walked {
  std::uint64_t compute_cycles = 0;
  DramBytes bytes;
};

/// Adds a pass of the loops in dla_layer.h; its filters are loaded with the first of its row strips.
void walk_pass(const dla_machine& machine, const dla_shape& s, const dla_mapping& map, dla_filter_chunk chunk,
               unsigned F, bool loads_filters, Walked& sum) {
  dla_split_chunk(&map, &chunk);
  sum.compute_cycles += std::uint64_t{F} * chunk.p * (chunk.C == 0 ? chunk.q : chunk.C) * s.S;
  sum.bytes.filter += loads_filters ? dla_filter_chunk_bytes(&machine, &s, &chunk) : 0;
}

/// Rows of the ifmap that output rows row0 to row0 + rows - 1 need, at least one, of `channels` channels from `c0` on.
std::uint64_t walk_ifmap(const dla_machine& machine, const dla_shape& s, unsigned row0, unsigned rows, unsigned c0,
                         unsigned channels) {
  const int top = static_cast<int>(row0 * s.U) - static_cast<int>(s.pad_top), last = static_cast<int>(s.H) - 1;
  const int first_row = std::clamp(top, 0, last);
  const int last_row = std::clamp(top + static_cast<int>((rows - 1) * s.U + s.R) - 1, 0, last);
  const unsigned plane_rows = s.ifmap_plane_rows == 0 ? s.H : s.ifmap_plane_rows;
  std::uint64_t words = 0;
  for (unsigned c = c0; c < c0 + (s.ifmap_on_chip ? 0 : channels); ++c) {
    words += words_touched((c * plane_rows + static_cast<unsigned>(first_row)) * s.W,
                           static_cast<unsigned>(last_row - first_row + 1) * s.W, machine.bus_bytes);
  }
  return words * machine.bus_bytes;
}

/// Walks the loops over filters, channels and strips of the groups from `group` on that are done at once.
void walk_groups(const dla_machine& machine, const dla_shape& s, const dla_mapping& map, unsigned row0, unsigned group,
                 unsigned groups, Walked& sum) {
  const dla_passes derived = dla_derive_passes(&machine, &s, &map);
  const unsigned rows = std::min(map.e_glb, derived.E - row0), M = groups * s.M, C = groups * s.C;
  for (unsigned m0 = 0; m0 < M; m0 += map.m) {
    const unsigned filters = std::min(map.m, M - m0);
    sum.bytes.ifmap += m0 == 0 || !map.ifmap_resident ? walk_ifmap(machine, s, row0, rows, group * s.C, C) : 0;
    for (unsigned c0 = 0; c0 < C; c0 += dla_chunk_channels(&map)) {
      for (unsigned fr = 0; fr < s.R; fr += derived.fold_rows) {
        for (unsigned g = 0; g < filters; g += map.p * map.t) {
          dla_filter_chunk chunk{};
          chunk.filters = std::min(map.p * map.t, filters - g);
          chunk.channels = std::min(dla_chunk_channels(&map), C - c0);
          chunk.rows = std::min(derived.fold_rows, s.R - fr);
          chunk.first = c0 == 0 && fr == 0;
          chunk.last = c0 + chunk.channels == C && fr + chunk.rows == s.R;
          for_row_tiles(s, rows, map.e,
                        [&](unsigned row, unsigned) { walk_pass(machine, s, map, chunk, derived.F, row == 0, sum); });
        }
      }
    }
    sum.bytes.ofmap +=
        s.ofmap_on_chip ? 0 : std::uint64_t{filters} * count_windows(s, rows) * count_windows(s, derived.F);
  }
}

/// Walks the seven loops.
Walked walk(const dla_machine& machine, const dla_shape& s, const dla_mapping& map) {
  const unsigned E = dla_derive_passes(&machine, &s, &map).E, groups = std::max(s.G, 1u);
  const unsigned at_once = map.g == 0 ? 1 : map.g * map.t;
  Walked sum;
  for_row_tiles(s, E, map.e_glb, [&](unsigned row0, unsigned) {
    for (unsigned group = 0; group < groups; group += at_once) {
      walk_groups(machine, s, map, row0, group, std::min(at_once, groups - group), sum);
    }
  });
  return sum;
}

dla_mapping draw_mapping(std::mt19937& random) {
  const auto draw = [&](unsigned last) { return 1 + static_cast<unsigned>(random() % last); };
  return {draw(48),
          1,
          draw(8),
          draw(16),
          draw(6),
          draw(3),
          draw(6),
          draw(24),
          draw(2) == 1,
          2,
          kDlaLoopOrderRowsFiltersChannels};
}

/// Cycles as such need a device to compare with: testbench/prediction.
TEST(CostModel, EqualsAWalkOverThePasses) {
  std::mt19937 random(5);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  int compared = 0;
  for (int tries = 0; tries < 2'000'000 && compared < 400; ++tries) {
    const dla_machine& machine = kSmallAndLarge[draw(0, 1)];
    dla_shape shape = {draw(1, 30), draw(1, 24), draw(1, 24), draw(1, 40), draw(1, 15), draw(1, 11),    draw(1, 7),
                       draw(1, 4),  draw(0, 10), draw(0, 10), draw(0, 10), draw(0, 10), draw(0, 1) == 1};
    dla_mapping mapping = draw_mapping(random);
    shape.pool_size = shape.pool && draw(0, 1) == 0 ? 3 : 0;
    shape.pool_stride = shape.pool ? draw(0, 3) : 0;
    shape.G = draw(0, 2) == 0 ? draw(2, 20) : 0;
    if (shape.G != 0 && draw(0, 1) == 0) {
      shape.C = draw(1, 3);
      shape.M = draw(1, 3);
      mapping.g = draw(1, 4);
      mapping.p = mapping.g * shape.M;
      mapping.q = mapping.g * shape.C;
      mapping.r = 1;
      mapping.m = mapping.p * mapping.t;
      mapping.ifmap_resident = false;
    }
    shape.ifmap_on_chip = draw(0, 3) == 0;
    shape.ofmap_on_chip = draw(0, 3) == 0;
    shape.ifmap_plane_rows = draw(0, 1) == 0 ? shape.H + draw(0, 3) : 0;
    if (dla_check_mapping(&machine, &shape, &mapping) != kDlaErrorNone) {
      continue;
    }
    ++compared;
    const LayerCost cost = price_mapping({machine, shape, mapping});
    const Walked walked = walk(machine, shape, mapping);
    EXPECT_EQ(cost.dram_bytes.ifmap, walked.bytes.ifmap);
    EXPECT_EQ(cost.dram_bytes.filter, walked.bytes.filter);
    EXPECT_EQ(cost.dram_bytes.ofmap, walked.bytes.ofmap);
    EXPECT_EQ(cost.causes.compute, walked.compute_cycles);
    EXPECT_EQ(cost.cycles, cost.causes.total());
  }
  EXPECT_EQ(compared, 400);
}

dla_lengths lengths_of(const dla_shape& shape, const dla_mapping& m, std::uint32_t filters) {
  const dla_extent extent = dla_extent_of(&m, filters, m.q * m.r, shape.R, m.e);
  return dla_pass_lengths(&kSmallAndLarge[0], &shape, &extent);
}

/// A whole pass of VGG-8 on the first machine.
CyclesByCause pass_of(const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&kSmallAndLarge[0], &shape, &mapping);
  return pass_cycles(passes, lengths_of(shape, mapping, mapping.p * mapping.t), dla_tail_steps(&shape, passes.F),
                     mapping.p, true);
}

/// The two lines of the table in docs/timing.md, "A pass".
TEST(PassTiming, AgreesWithTheManual) {
  const dla_shape conv3 = {192, 8, 8, 384, 3, 3, 1, 1, 1, 1, 1, 1, false};
  const CyclesByCause third = pass_of(conv3, {192, 1, 8, 4, 4, 2, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels});
  EXPECT_EQ(third.compute, 384u);
  EXPECT_EQ(third.ifmap, 0u) << "the first window of the next pass: 40 words in two columns of 48 cycles";
  EXPECT_EQ(third.total(), 384u);
  const dla_shape conv1 = {3, 32, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1, true};
  const CyclesByCause first = pass_of(conv1, {64, 1, 8, 4, 3, 1, 2, 32, true, 2, kDlaLoopOrderRowsFiltersChannels});
  EXPECT_EQ(first.compute, 32u * 36);
  EXPECT_EQ(first.total(), 2048u) << "16 psums a slot of 9 products";
}

/// DESIGN section 4: with p=4, q=4, S=3, e=8, 64 psum words in 48 cycles cap the array at 75 %; 32 words do not.
TEST(PassTiming, PsumsBindWhereTheDesignSaysSo) {
  const dla_shape conv2 = {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true};
  const auto mapping = [](std::uint32_t r, std::uint32_t t) {
    return dla_mapping{64, 1, 8, 4, 4, r, t, 16, true, 2, kDlaLoopOrderRowsFiltersChannels};
  };
  EXPECT_EQ(lengths_of(conv2, mapping(1, 2), 8).column_cycles, 64u);
  EXPECT_EQ(lengths_of(conv2, mapping(2, 1), 4).column_cycles, 48u);
  EXPECT_EQ(lengths_of(conv2, mapping(2, 1), 4).step_words, 20u);
}

}  // namespace
}  // namespace fovea
