// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random legal layers for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dla_layer.h"

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
