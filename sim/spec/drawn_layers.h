// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random legal layers for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dla_planes.h"

inline constexpr dla_machine kMachines[] = {{6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128},
                                            {12, 14, 12, 224, 24, 110592, 2048, 8, 2, 4, 8, 128},
                                            {6, 8, 12, 48, 16, 65536, 1024, 16, 8, 1, 2, 256},
                                            {5, 7, 14, 60, 16, 65536, 1024, 4, 16, 8, 16, 100}};

struct Drawn {
  dla_machine machine;
  dla_shape shape;
  dla_mapping mapping;
};

/// Makes PEs hold whole groups.
inline void hold_groups(dla_shape& s, dla_mapping& m, unsigned g) {
  m.g = g;
  m.p = g * s.M;
  m.q = g * s.C;
  m.r = 1;
  m.m = m.p * m.t;
  m.ifmap_resident = false;
}

/// Draws layers until `count` legal ones were found.
inline std::vector<Drawn> draw_legal(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  std::vector<Drawn> legal;
  for (int tries = 0; tries < 10'000'000 && legal.size() < count; ++tries) {
    Drawn d{};
    d.machine = kMachines[draw(0, 3)];
    d.shape = {draw(1, 40), draw(1, 24), draw(1, 24), draw(1, 40), draw(1, 15), draw(1, 11),    draw(1, 7),
               draw(1, 4),  draw(0, 10), draw(0, 10), draw(0, 10), draw(0, 10), draw(0, 1) == 1};
    if (d.shape.pool && draw(0, 1) == 1) {
      constexpr unsigned kSizes[] = {0, 2, 3};
      d.shape.pool_size = kSizes[draw(0, 2)];
      d.shape.pool_stride = draw(0, 3);
      d.shape.pool_top = draw(0, 2);
      d.shape.pool_left = draw(0, 2);
      d.shape.pool_bottom = draw(0, 2);
      d.shape.pool_right = draw(0, 2);
    }
    d.shape.scaled = draw(0, 1) == 1;
    d.shape.filter_scales = d.shape.scaled && draw(0, 1) == 1;
    d.mapping = {draw(1, 48),
                 1,
                 draw(1, 8),
                 draw(1, 16),
                 draw(1, 6),
                 draw(1, 3),
                 draw(1, 6),
                 draw(1, 24),
                 draw(0, 1) == 1,
                 draw(2, 6),
                 kDlaLoopOrderRowsFiltersChannels,
                 0};
    if (draw(0, 2) == 0) {
      d.mapping.filter_buffers = draw(2, 12);
      d.mapping.stay = draw(1, d.mapping.filter_buffers - 1);
    }
    d.mapping.fold_rows = draw(0, 2) == 0 ? draw(1, std::min(d.shape.R, 7u)) : 0;
    d.shape.G = draw(0, 2) == 0 ? draw(1, 20) : 0;
    if (d.shape.G != 0 && draw(0, 2) != 0) {
      d.shape.C = draw(1, 3);
      d.shape.M = draw(1, 3);
      hold_groups(d.shape, d.mapping, draw(1, 5));
    }
    d.shape.lookup = draw(0, 3) == 0;
    d.shape.residual = !d.shape.pool && draw(0, 2) == 0;
    d.shape.mean = !d.shape.pool && !d.shape.residual && !d.shape.lookup && draw(0, 2) == 0;
    if (d.shape.mean && d.shape.R <= dla_padded_rows(&d.shape)) {
      d.mapping.e = d.mapping.e_glb = dla_unpooled_rows(&d.shape);
    }
    if (dla_check_mapping(&d.machine, &d.shape, &d.mapping) == kDlaErrorNone) {
      legal.push_back(d);
    }
  }
  EXPECT_EQ(legal.size(), count);
  return legal;
}

/// Draws rows of planes and which tensors are on chip, and there a column and a byte; in DRAM, the residual lies behind
/// the ofmap. Often legal.
inline void draw_places(const dla_machine& machine, unsigned seed, dla_layer& layer) {
  std::mt19937 random(seed);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  dla_shape& s = layer.shape;
  const unsigned rows = dla_pooled(&s, dla_unpooled_rows(&s)), bus = machine.bus_bytes;
  const auto draw_plane = [&](unsigned of, bool on_chip, unsigned& plane_rows, unsigned& first_row) {
    plane_rows = draw(0, 1) == 0 ? 0 : of + draw(0, 8);
    first_row = on_chip && draw(0, 2) != 0 ? draw(0, std::max(plane_rows, of) - 1) : 0;
  };
  const auto draw_addr = [&] {
    const unsigned rows_of_banks = machine.glb_bytes / machine.glb_bank_bytes / machine.ifmap_bytes_per_cycle;
    const unsigned byte =
        draw(0, rows_of_banks - 1) * machine.glb_bank_bytes + (draw(0, 1) == 0 ? 0 : draw(0, 9) * bus);
    return draw(0, machine.ifmap_bytes_per_cycle - 1) << kDlaColumnLsb | byte;
  };
  s.ifmap_on_chip = draw(0, 1) == 1;
  s.ofmap_on_chip = draw(0, 1) == 1;
  s.residual_on_chip = s.residual && draw(0, 1) == 1;
  draw_plane(s.H, s.ifmap_on_chip, s.ifmap_plane_rows, s.ifmap_first_row);
  if (!s.mean) {
    draw_plane(rows, s.ofmap_on_chip, s.ofmap_plane_rows, s.ofmap_first_row);
    draw_plane(rows, s.residual_on_chip, s.residual_plane_rows, s.residual_first_row);
  }
  layer.ifmap_addr = s.ifmap_on_chip ? draw_addr() : 0x10000000;
  layer.ofmap_addr = s.ofmap_on_chip ? draw_addr() : 0x20000000;
  layer.residual_addr = s.residual_on_chip ? draw_addr() : 0x30000000;
}

/// The same as draw_legal(), every other layer with planes that have other rows, and tensors on chip; of these, every
/// third with filters on chip.
inline std::vector<Drawn> draw_placed(unsigned seed, std::size_t count) {
  std::vector<Drawn> drawn = draw_legal(seed, count);
  for (unsigned i = 0; i < drawn.size(); i += 2) {
    dla_layer layer{};
    layer.shape = drawn[i].shape;
    draw_places(drawn[i].machine, seed + i, layer);
    drawn[i].shape = layer.shape;
    drawn[i].shape.filters_on_chip = i % 3 == 0 && !drawn[i].shape.lookup;
  }
  return drawn;
}

/// Lays the regions out in front of all tensors on chip, or behind them. \return whether there is room.
inline bool plan_around(const dla_machine& machine, dla_layer& layer) {
  unsigned begin = machine.glb_bytes, end = 0;
  for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
    const dla_planes of = dla_planes_of(&machine, &layer, tensor);
    if (of.on_chip) {
      const dla_region banks = dla_banks_of(&machine, &of);
      begin = std::min(begin, banks.base_bytes);
      end = std::max(end, banks.base_bytes + banks.size_bytes);
    }
  }
  dla_machine front = machine;
  front.glb_bytes = begin;
  const bool fits = dla_plan_glb(&front, &layer.shape, &layer.mapping, &layer.glb) == kDlaErrorNone ||
                    (end <= machine.glb_bytes &&
                     dla_plan_glb_behind(&machine, &layer.shape, &layer.mapping, end, &layer.glb) == kDlaErrorNone);
  if (layer.shape.ifmap_on_chip) {
    const dla_planes ifmap = dla_planes_of(&machine, &layer, kDlaIfmap);
    layer.glb.ifmap = dla_banks_of(&machine, &ifmap);
  }
  return fits;
}

/// Filters and channels of the groups that are done at once: one group, or as many as the PEs hold.
struct Part {
  unsigned m0, filters, c0, channels;
};

template <typename Visit>
void for_parts(const Drawn& d, Visit visit) {
  const dla_shape& s = d.shape;
  const unsigned groups = std::max(s.G, 1u), at_once = d.mapping.g == 0 ? 1 : d.mapping.g * d.mapping.t;
  for (unsigned group = 0; group < groups; group += at_once) {
    const unsigned count = std::min(at_once, groups - group);
    visit(Part{group * s.M, count * s.M, group * s.C, count * s.C});
  }
}

/// Calls visit(first, n) for each tile of `step` in [0, total).
template <typename Visit>
void for_tiles(unsigned total, unsigned step, Visit visit) {
  for (unsigned at = 0; at < total; at += step) {
    visit(at, std::min(step, total - at));
  }
}

/// Rows and columns of the windows of the shape's pool, and from one to the next, which are 1 where nothing is pooled.
inline unsigned window_size(const dla_shape& s) { return !s.pool ? 1 : s.pool_size == 0 ? 2 : s.pool_size; }
inline unsigned window_stride(const dla_shape& s) { return !s.pool ? 1 : s.pool_stride == 0 ? 2 : s.pool_stride; }

/// Windows of the shape's pool over so many rows or columns, which are windows of their own where nothing is pooled.
inline unsigned count_windows(const dla_shape& s, unsigned rows) {
  unsigned windows = 0;
  while (windows * window_stride(s) + window_size(s) <= rows) {
    ++windows;
  }
  return windows;
}

/// The same for tiles of output rows: each begins with the first window that the one before had not whole.
template <typename Visit>
void for_row_tiles(const dla_shape& s, unsigned total, unsigned step, Visit visit) {
  for (unsigned at = 0; at < total && count_windows(s, total - at) != 0;) {
    const unsigned rows = std::min(step, total - at);
    visit(at, rows);
    at += count_windows(s, rows) * window_stride(s);
  }
}
