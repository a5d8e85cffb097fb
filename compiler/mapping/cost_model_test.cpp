// SPDX-License-Identifier: Apache-2.0
/// \file
/// The closed sums of the cost model against walking a layer's passes one after another.
#include "cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace fovea {
namespace {

constexpr dla_machine kMachines[] = {{6, 8, 12, 48, 16, 65536, 2048, 4, 128},
                                     {12, 14, 12, 224, 24, 110592, 2048, 8, 128}};

struct Pass {
  PassExtent extent;
  std::size_t group;  ///< Passes with the same filters in the PEs.
};

/// A tile of m filters and e_glb rows: its passes in order, and the words of each group's filters.
struct Tile {
  std::vector<Pass> passes;
  std::vector<std::uint64_t> group_words;
  std::uint64_t ifmap_words = 0, written_bytes = 0;
  unsigned row0 = 0;
};

std::uint64_t words_touched(std::uint64_t start, std::uint64_t bytes, std::uint64_t bus) {
  return bytes == 0 ? 0 : (start + bytes - 1) / bus - start / bus + 1;
}

/// Walks the six loops of dla_layer.h.
std::vector<Tile> walk(const dla_machine& machine, const dla_shape& s, const dla_mapping& map) {
  const dla_passes derived = dla_derive_passes(&machine, &s, &map);
  std::vector<Tile> tiles;
  for (unsigned row0 = 0; row0 < derived.E; row0 += map.e_glb) {
    const unsigned rows = std::min(map.e_glb, derived.E - row0);
    for (unsigned m0 = 0; m0 < s.M; m0 += map.m) {
      const unsigned filters = std::min(map.m, s.M - m0);
      Tile tile;
      tile.row0 = row0;
      for (unsigned c0 = 0; c0 < s.C; c0 += map.q * map.r) {
        for (unsigned fr = 0; fr < s.R; fr += derived.fold_rows) {
          for (unsigned g = 0; g < filters; g += map.p * map.t) {
            dla_filter_chunk chunk{};
            chunk.filters = std::min(map.p * map.t, filters - g);
            chunk.channels = std::min(map.q * map.r, s.C - c0);
            chunk.rows = std::min(derived.fold_rows, s.R - fr);
            chunk.has_bias = c0 == 0 && fr == 0;
            dla_split_chunk(&map, &chunk);
            tile.group_words.push_back(dla_filter_chunk_bytes(&machine, &s, &chunk) / machine.bus_bytes);
            for (unsigned row = 0; row < rows; row += map.e) {
              const unsigned e = std::min(map.e, rows - row);
              tile.passes.push_back({{e, chunk.rows, chunk.t, chunk.p, chunk.r, chunk.q}, tile.group_words.size() - 1});
            }
          }
        }
      }
      const int low = std::clamp<int>(static_cast<int>(row0 * s.U) - static_cast<int>(s.PAD), 0, static_cast<int>(s.H));
      const int high = std::clamp<int>(static_cast<int>((row0 + rows - 1) * s.U + s.R) - static_cast<int>(s.PAD), 0,
                                       static_cast<int>(s.H));
      for (unsigned c = 0; c < s.C && (m0 == 0 || !map.ifmap_resident); ++c) {
        tile.ifmap_words += words_touched((c * s.H + static_cast<unsigned>(low)) * s.W,
                                          static_cast<unsigned>(high - low) * s.W, machine.bus_bytes);
      }
      tile.written_bytes = std::uint64_t{filters} * rows * derived.F / (s.pool ? 4 : 1);
      tiles.push_back(tile);
    }
  }
  return tiles;
}

std::uint64_t walk_cycles(const dla_machine& machine, const dla_shape& s, const Tile& tile, unsigned F,
                          bool ifmap_is_hidden) {
  std::vector<std::uint64_t> group_cycles(tile.group_words.size());
  for (std::size_t i = 0; i < tile.passes.size(); ++i) {
    const PassExtent& pass = tile.passes[i].extent;
    const PassExtent& next = tile.passes[(i + 1) % tile.passes.size()].extent;
    for (unsigned column = 0; column < F; ++column) {
      const std::uint64_t words = column + 1 < F ? next_window_words(s, pass) : first_window_words(s, next);
      group_cycles[tile.passes[i].group] += std::max(column_cycles(machine, s, pass), words);
    }
  }
  std::uint64_t cycles = 0, words = 0;
  for (std::size_t group = 0; group < group_cycles.size(); ++group) {
    cycles += std::max(group_cycles[group], tile.group_words[group]);
    words += tile.group_words[group];
  }
  const std::uint64_t written = (tile.written_bytes + machine.bus_bytes - 1) / machine.bus_bytes;
  const std::uint64_t exposed = ifmap_is_hidden ? 0 : tile.ifmap_words;
  return exposed + std::max({cycles, words + tile.ifmap_words - exposed, written});
}

TEST(CostModel, EqualsAWalkOverThePasses) {
  std::mt19937 random(5);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  int compared = 0;
  for (int tries = 0; tries < 2'000'000 && compared < 400; ++tries) {
    const dla_machine& machine = kMachines[draw(0, 1)];
    const dla_shape shape = {draw(1, 30), draw(1, 24), draw(1, 24), draw(1, 40),    draw(1, 11),
                             draw(1, 11), draw(1, 4),  draw(0, 5),  draw(0, 1) == 1};
    const dla_mapping mapping = {draw(1, 48),
                                 1,
                                 draw(1, 8),
                                 draw(1, 16),
                                 draw(1, 6),
                                 draw(1, 3),
                                 draw(1, 6),
                                 draw(1, 24),
                                 draw(0, 1) == 1,
                                 2,
                                 kDlaLoopOrderRowsFiltersChannels};
    if (dla_check_mapping(&machine, &shape, &mapping) != kDlaErrorNone) {
      continue;
    }
    ++compared;
    const dla_passes derived = dla_derive_passes(&machine, &shape, &mapping);
    const std::vector<Tile> tiles = walk(machine, shape, mapping);
    const PassExtent& first = tiles[0].passes[0].extent;
    const std::uint64_t chunk_channels = std::min(mapping.q * mapping.r, shape.C);
    std::uint64_t cycles = 0, words = 0;
    for (const Tile& tile : tiles) {
      // A lone ifmap buffer is loaded while the array waits; the first tile's load is counted below.
      const bool hidden = tile.row0 == 0 || derived.ifmap_buffers > 1;
      cycles += walk_cycles(machine, shape, tile, derived.F, hidden);
      words += tile.ifmap_words;
      for (const std::uint64_t group : tile.group_words) {
        words += group;
      }
    }
    // Start: the first chunk of channels and filters and the first window. End: the last output tile.
    const std::uint64_t outputs = std::uint64_t{mapping.p} * mapping.t * mapping.e * derived.F / (shape.pool ? 4 : 1);
    cycles += tiles[0].group_words[0] + first_window_words(shape, first) +
              (outputs + machine.bus_bytes - 1) / machine.bus_bytes;
    const LayerCost cost = price_mapping(machine, shape, mapping);
    EXPECT_EQ(cost.dram_read_bytes, words * machine.bus_bytes);
    EXPECT_EQ(cost.dram_write_bytes, std::uint64_t{shape.M} * derived.ofmap_rows * derived.ofmap_cols);
    EXPECT_GE(cost.cycles, cycles);
    EXPECT_LE(cost.cycles, cycles + tiles[0].ifmap_words) << "only the first chunk's ifmap words are on top";
    if (chunk_channels == shape.C) {
      EXPECT_EQ(cost.cycles, cycles + tiles[0].ifmap_words);
    }
  }
  EXPECT_EQ(compared, 400);
}

/// DESIGN section 4: with p=4, q=4, S=3, e=8, 64 psum words in 48 cycles cap the array at 75 %; 32 words do not.
TEST(CostModel, PsumsBindWhereTheDesignSaysSo) {
  const dla_shape conv2 = {64, 16, 16, 192, 3, 3, 1, 1, true};
  EXPECT_EQ(column_cycles(kMachines[0], conv2, {8, 3, 2, 4, 1, 4}), 64u);
  EXPECT_EQ(column_cycles(kMachines[0], conv2, {8, 3, 1, 4, 2, 4}), 48u);
  EXPECT_EQ(next_window_words(conv2, {8, 3, 1, 4, 2, 4}), 20u);
  EXPECT_EQ(filter_words(kMachines[0], conv2, {8, 3, 1, 4, 2, 4}, 4, false), 72u);
}

}  // namespace
}  // namespace fovea
