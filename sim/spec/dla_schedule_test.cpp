// SPDX-License-Identifier: Apache-2.0
/// \file
/// The schedule against the loop nest of dla_mapping, written out, and against what a layer must do exactly once.
#include "dla_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "drawn_layers.h"

namespace {

/// A load or a pass, in numbers: what it is, the steps before it, then its fields.
using Item = std::vector<long>;

Item item_of(const dla_schedule& at) {
  if (at.item != kDlaItemPass) {
    const dla_load& l = at.load;
    return {at.item, at.steps, l.is_filter, l.offset, l.bytes, l.runs, l.channel, l.glb_word, l.is_residual};
  }
  const dla_pass& p = at.pass;
  const dla_extent& x = p.extent;
  return {at.item,
          at.steps,
          p.first_k,
          p.last_k,
          p.last,
          p.waits_psum,
          p.new_set,
          p.new_ifmap,
          p.release_ifmap,
          x.filters,
          x.channels,
          x.t,
          x.p,
          x.r,
          x.q,
          x.rows,
          x.e,
          p.fold_row0,
          p.y,
          p.top,
          p.ifmap_offset,
          p.ifmap_channel,
          p.ifmap_word,
          p.psum_block,
          p.ofmap_filter,
          p.ofmap_row,
          at.set.bias_words,
          at.set.scale_words,
          at.set.weight_words};
}

std::vector<Item> walk_schedule(const Drawn& d) {
  std::vector<Item> items;
  dla_schedule at;
  dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &at);
  while (dla_schedule_next(&at) != kDlaItemEnd) {
    items.push_back(item_of(at));
  }
  EXPECT_EQ(dla_schedule_next(&at), kDlaItemEnd) << "stays at its end";
  return items;
}

/// The same from the loops, each a for.
class Nest {
 public:
  explicit Nest(const Drawn& d) : d_(d), s_(d.shape), m_(d.mapping), passes_(dla_derive_passes(&d.machine, &s_, &m_)) {}

  std::vector<Item> walk() {
    if (s_.lookup) {
      push({kDlaItemTableLoad, steps_, 1, 0, 256, 1, 0, 0, 0});
    }
    for_row_tiles(s_, passes_.E, m_.e_glb, [&](unsigned row0, unsigned rows) {
      steps_ += 3;
      stream_ = s_.lookup ? 256 : 0;
      chunk_of_tile_ = 0;
      for_parts(d_, [&](const Part& part) {
        part_ = part;
        for_tiles(part.filters, m_.m, [&](unsigned m0, unsigned filters) {
          steps_ += 1;
          for_tiles(part.channels, m_.q * (m_.g == 0 ? m_.r : m_.t), [&](unsigned c0, unsigned channels) {
            walk_chunk({row0, rows, m0, filters, c0, channels});
          });
        });
      });
    });
    return items_;
  }

 private:
  struct Chunk {
    unsigned row0, rows, m0, filters, c0, channels;
  };

  /// First ifmap row in the GLB for output rows row0 to row0 + rows - 1, and how many.
  std::pair<long, long> loaded_rows(const Chunk& at) const {
    const auto inside = [&](long padded) { return std::clamp<long>(padded - long{s_.pad_top}, 0, long{s_.H} - 1); };
    const long top = inside(long{at.row0} * s_.U);
    return {top, inside(long{at.row0 + at.rows - 1} * s_.U + s_.R - 1) - top + 1};
  }

  /// Bytes from a plane to the next, of so many rows, or its own; on chip each begins with a word.
  long stride_of(bool on_chip, unsigned plane_rows, long rows, long cols) const {
    const long bytes = (plane_rows == 0 ? rows : long{plane_rows}) * cols, bus = d_.machine.bus_bytes;
    return on_chip ? (bytes + bus - 1) / bus * bus : bytes;
  }

  void push(Item item) {
    items_.push_back(std::move(item));
    steps_ = 1;
  }

  void walk_chunk(const Chunk& at) {
    const auto [top, rows] = loaded_rows(at);
    const bool resident = m_.ifmap_resident;
    const unsigned sets = m_.g == 0 ? (at.channels + m_.q - 1) / m_.q : 1, bus = d_.machine.bus_bytes;
    const long stride = stride_of(s_.ifmap_on_chip, s_.ifmap_plane_rows, s_.H, s_.W);
    const long offset = long{part_.c0 + at.c0} * stride + top * s_.W;
    const unsigned planes = dla_ceil_div(m_.q * (m_.g == 0 ? m_.r : m_.t), d_.machine.ifmap_bytes_per_cycle);
    steps_ += sets + 2;
    new_ifmap_ = !s_.ifmap_on_chip && (!resident || at.m0 == 0);
    if (s_.ifmap_on_chip) {
      ifmap_ = {0, 0, part_.c0 + at.c0, 0};
    } else {
      ifmap_ = {top, resident ? part_.c0 * stride + top * s_.W : offset, resident ? at.c0 : 0,
                resident ? 0 : chunks_ % 2 * planes * passes_.ifmap_plane_words};
    }
    ++chunks_;
    if (new_ifmap_) {
      push({kDlaItemIfmapLoad, steps_, 0, offset, rows * s_.W, at.channels, ifmap_[2], ifmap_[3], 0});
    }
    for_tiles(s_.R, passes_.fold_rows, [&](unsigned fold, unsigned fold_rows) {
      steps_ += 1;
      long block = 0;
      for_tiles(at.filters, m_.p * m_.t, [&](unsigned group, unsigned filters) {
        const unsigned t = (filters + m_.p - 1) / m_.p, p = std::min(filters, m_.p), q = std::min(at.channels, m_.q);
        const bool has_bias = at.c0 == 0 && fold == 0;
        const bool has_scales = s_.filter_scales && at.c0 + at.channels == part_.channels && fold + fold_rows == s_.R;
        const unsigned pes = t * sets * fold_rows, slot = (m_.g == 0 ? q : s_.C) * s_.S, pe = p * slot,
                       network = d_.machine.filter_bytes_per_cycle;
        const auto words = [](unsigned bytes, unsigned word) -> long { return (bytes + word - 1) / word; };
        const long bias = has_bias ? words(filters * 4, network) : 0;
        const long scales = has_scales ? words(filters * 4, network) : 0, weights = pes * words(pe, network);
        const unsigned word = std::max(bus, network);
        const long bytes =
            (((has_bias ? 1 : 0) + (has_scales ? 1 : 0)) * words(filters * 4, word) + pes * words(pe, word)) * word;
        steps_ += t + 4;
        if (!is_there(at.row0)) {
          push({kDlaItemFilterLoad, steps_, 1, stream_, bytes, 1, 0, take_buffer() * (passes_.filter_chunk_bytes / bus),
                0});
        }
        stream_ += bytes;
        ++chunk_of_tile_;
        bool new_set = true;
        for_row_tiles(s_, at.rows, m_.e, [&](unsigned strip, unsigned e) {
          const unsigned row = at.row0 + strip, filter = part_.m0 + at.m0 + group;
          const long ofmap_row = row / window_stride(s_);
          const bool first_k = at.c0 == 0 && fold == 0, last_c = at.c0 + at.channels == part_.channels;
          const bool ends = strip + e == at.rows && group + filters == at.filters && fold + fold_rows == s_.R;
          const bool last_k = last_c && fold + fold_rows == s_.R, last_m = at.m0 + at.filters == part_.filters;
          const bool last_part = part_.m0 + part_.filters == dla_groups(&s_) * s_.M;
          const long cycles = std::max(long{slot}, words(e * t, d_.machine.psum_lanes));
          const bool covered = (long{passes_.F} * p - 1) * cycles >= long{m_.r} * passes_.fold_rows + 3;
          steps_ += 6;
          if (s_.residual && !s_.residual_on_chip && last_k) {
            const long cols = passes_.ofmap_cols, rows_of = passes_.ofmap_rows;
            const long residual = stride_of(false, s_.residual_plane_rows, rows_of, cols);
            const bool is_dense = residual == rows_of * cols && !s_.ofmap_on_chip &&
                                  stride_of(false, s_.ofmap_plane_rows, rows_of, cols) == rows_of * cols;
            const bool is_one = e == rows_of && is_dense;
            push({kDlaItemResidualLoad, steps_, 0, filter * residual + ofmap_row * cols,
                  (is_one ? filters : 1) * e * cols, is_one ? 1 : filters, 0,
                  residuals_++ % 2 * (passes_.residual_tile_bytes / bus), 1});
          }
          push({kDlaItemPass,
                steps_,
                first_k,
                last_k,
                last_k && ends && last_m && last_part && at.row0 + at.rows == passes_.E,
                !first_k && !covered,
                new_set,
                new_ifmap_,
                ends && (!resident || last_m) && !s_.ifmap_on_chip,
                filters,
                at.channels,
                t,
                p,
                sets,
                q,
                fold_rows,
                e,
                fold,
                long{row * s_.U + fold} - long{s_.pad_top},
                ifmap_[0],
                ifmap_[1],
                ifmap_[2],
                ifmap_[3],
                block++,
                filter,
                ofmap_row,
                bias,
                scales,
                weights});
          new_set = new_ifmap_ = false;
        });
      });
    });
  }

  /// Filter chunks of a row tile.
  unsigned count_chunks() const {
    unsigned chunks = 0;
    for_parts(d_, [&](const Part& part) {
      for_tiles(part.filters, m_.m, [&](unsigned, unsigned filters) {
        for_tiles(part.channels, m_.q * (m_.g == 0 ? m_.r : m_.t), [&](unsigned, unsigned) {
          for_tiles(s_.R, passes_.fold_rows, [&](unsigned, unsigned) {
            for_tiles(filters, m_.p * m_.t, [&](unsigned, unsigned) { ++chunks; });
          });
        });
      });
    });
    return chunks;
  }

  bool stays() const { return chunk_of_tile_ < m_.stay || (m_.stay != 0 && count_chunks() <= m_.filter_buffers); }
  bool is_there(unsigned row0) const { return s_.filters_on_chip || (row0 != 0 && stays()); }

  /// Of the chunk that is loaded: its own buffer, or the next of those behind.
  long take_buffer() { return stays() ? chunk_of_tile_ : m_.stay + turns_++ % (m_.filter_buffers - m_.stay); }

  const Drawn& d_;
  const dla_shape& s_;
  const dla_mapping& m_;
  dla_passes passes_;
  Part part_{};
  std::vector<Item> items_;
  std::array<long, 4> ifmap_{};  ///< Top, offset, channel and word of the chunk under way.
  bool new_ifmap_ = false;
  long steps_ = 0, stream_ = 0, chunks_ = 0, residuals_ = 0;
  unsigned chunk_of_tile_ = 0, turns_ = 0;
};

TEST(Schedule, IsTheLoopNest) {
  for (const Drawn& d : draw_placed(20, 800)) {
    const std::vector<Item> items = walk_schedule(d), expected = Nest(d).walk();
    ASSERT_EQ(items.size(), expected.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(items[i], expected[i]) << "item " << i;
    }
  }
}

TEST(Schedule, LoadsAreTheSameOverThePasses) {
  for (const Drawn& d : draw_placed(21, 400)) {
    std::vector<std::vector<long>> all, loads;
    const auto of = [](const dla_load& l) {
      return std::vector<long>{l.is_filter, l.is_residual, l.offset, l.bytes, l.runs, l.channel, l.glb_word};
    };
    dla_schedule at;
    dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &at);
    while (dla_schedule_next(&at) != kDlaItemEnd) {
      if (at.item != kDlaItemPass) {
        all.push_back(of(at.load));
      }
    }
    dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &at);
    while (dla_schedule_next_load(&at) != kDlaItemEnd) {
      loads.push_back(of(at.load));
      // Passes between do not matter, whether they were looked at or not.
      if (at.item == kDlaItemFilterLoad && loads.size() % 3 == 0) {
        dla_schedule_next(&at);
        if (at.item == kDlaItemResidualLoad) {
          loads.push_back(of(at.load));
        }
      }
    }
    ASSERT_EQ(loads, all);
  }
}

/// Channels, filters, filter rows and output rows of all passes cover the layer, each combination once; rows that
/// windows of several strips share, once a strip.
TEST(Schedule, ComputesEachProductOnce) {
  for (const Drawn& d : draw_legal(22, 60)) {
    const dla_shape& s = d.shape;
    dla_schedule at;
    dla_schedule_begin(&d.machine, &s, &d.mapping, &at);
    const unsigned E = at.passes.E;
    const std::size_t filters = dla_groups(&s) * s.M;
    std::vector<int> products(filters * s.C * s.R * E), outputs(filters * E);
    while (dla_schedule_next(&at) != kDlaItemEnd) {
      if (at.item != kDlaItemPass) {
        continue;
      }
      const unsigned m0 = at.first[kDlaChannelGroups] * s.M + at.first[kDlaFilterTiles] + at.first[kDlaGroups];
      const bool whole_groups = d.mapping.g != 0;
      const unsigned c0 = whole_groups ? 0 : at.first[kDlaChunks];
      const unsigned row0 = at.first[kDlaRowTiles] + at.first[kDlaStrips];
      const dla_extent& x = at.pass.extent;
      for (unsigned m = m0; m < m0 + x.filters; ++m) {
        for (unsigned row = row0; row < row0 + x.e; ++row) {
          outputs[m * E + row] += at.pass.last_k;
          for (unsigned c = c0; c < c0 + (whole_groups ? x.C : x.channels); ++c) {
            for (unsigned r = at.pass.fold_row0; r < at.pass.fold_row0 + x.rows; ++r) {
              ++products[((m * s.C + c) * s.R + r) * E + row];
            }
          }
        }
      }
    }
    // As often as strips have the row.
    std::vector<int> expected(E);
    for_row_tiles(s, E, d.mapping.e_glb, [&](unsigned tile, unsigned rows) {
      for_row_tiles(s, rows, d.mapping.e, [&](unsigned strip, unsigned e) {
        for (unsigned row = tile + strip; row < tile + strip + e; ++row) {
          ++expected[row];
        }
      });
    });
    for (std::size_t i = 0; i < products.size(); ++i) {
      ASSERT_EQ(products[i], expected[i % E]);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(outputs[i], expected[i % E]);
    }
    if (!s.pool) {
      EXPECT_EQ(std::set<int>(expected.begin(), expected.end()), std::set<int>{1});
    }
  }
}

/// A product of pieces, one of each loop, is as many passes as the walk meets of these sizes.
TEST(Schedule, PiecesSayHowOftenEachSizeOccurs) {
  using Sizes = std::tuple<unsigned, unsigned, unsigned, unsigned>;
  for (const Drawn& d : draw_legal(23, 300)) {
    std::map<Sizes, std::uint64_t> walked, counted;
    dla_schedule at;
    dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &at);
    while (dla_schedule_next(&at) != kDlaItemEnd) {
      const dla_extent& x = at.pass.extent;
      walked[{x.channels, x.rows, x.filters, x.e}] += at.item == kDlaItemPass;
    }
    const auto cut = [&](dla_loop loop) { return dla_cut(dla_loop_of(&d.shape, &d.mapping, &at.passes, loop)); };
    const dla_pieces chunks = cut(kDlaChunks), folds = cut(kDlaFolds), groups = cut(kDlaGroups),
                     strips = cut(kDlaStrips);
    const std::uint64_t channel_groups =
        dla_count_pieces(dla_loop_of(&d.shape, &d.mapping, &at.passes, kDlaChannelGroups));
    for (const dla_piece& chunk : chunks.sizes) {
      for (const dla_piece& fold : folds.sizes) {
        for (const dla_piece& group : groups.sizes) {
          for (const dla_piece& strip : strips.sizes) {
            const dla_extent x = dla_extent_of(&d.mapping, group.size, chunk.size, fold.size, strip.size);
            counted[{x.channels, x.rows, x.filters, x.e}] +=
                channel_groups * chunk.count * fold.count * group.count * strip.count;
          }
        }
      }
    }
    const auto is_none = [](const auto& entry) { return entry.second == 0; };
    for (auto* sizes : {&walked, &counted}) {
      for (auto it = sizes->begin(); it != sizes->end();) {
        it = is_none(*it) ? sizes->erase(it) : std::next(it);
      }
    }
    ASSERT_EQ(walked, counted);
    for (const dla_loop loop :
         {kDlaRowTiles, kDlaChannelGroups, kDlaFilterTiles, kDlaChunks, kDlaFolds, kDlaGroups, kDlaStrips}) {
      const dla_cutting cutting = dla_loop_of(&d.shape, &d.mapping, &at.passes, loop);
      std::uint64_t pieces = 0;
      const dla_shape s = loop == kDlaRowTiles || loop == kDlaStrips ? d.shape : dla_shape{};
      for_row_tiles(s, cutting.total, cutting.tile, [&](unsigned, unsigned tile) {
        for_row_tiles(s, tile, cutting.step, [&](unsigned, unsigned) { ++pieces; });
      });
      EXPECT_EQ(dla_count_pieces(cutting), pieces);
    }
  }
}

/// What a pass reads was loaded and not overwritten, and stays until its last user.
TEST(Schedule, BuffersHoldWhatPassesRead) {
  for (const Drawn& d : draw_legal(24, 300)) {
    dla_schedule at;
    dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &at);
    std::map<std::pair<unsigned, unsigned>, dla_load> ifmaps;  // By word and first channel.
    std::map<unsigned, unsigned> filters;                      // By word, the place in the stream.
    unsigned held = 0;
    while (dla_schedule_next(&at) != kDlaItemEnd) {
      const dla_load& load = at.load;
      if (at.item == kDlaItemTableLoad) {
        continue;  // To no buffer.
      }
      if (at.item == kDlaItemIfmapLoad) {
        ifmaps[{load.glb_word, load.channel}] = load;
        ++held;
        const unsigned planes = dla_ceil_div(load.channel + load.runs, d.machine.ifmap_bytes_per_cycle);
        EXPECT_LE((load.glb_word + planes * at.passes.ifmap_plane_words) * d.machine.bus_bytes,
                  at.passes.ifmap_column_bytes);
      } else if (at.item == kDlaItemFilterLoad) {
        filters[load.glb_word] = load.offset;
        EXPECT_LE(load.bytes, at.passes.filter_chunk_bytes);
        EXPECT_EQ(load.glb_word * d.machine.bus_bytes % at.passes.filter_chunk_bytes, 0u);
        EXPECT_LT(load.glb_word * d.machine.bus_bytes / at.passes.filter_chunk_bytes, d.mapping.filter_buffers);
      } else if (at.item == kDlaItemResidualLoad) {
        // At the worst place of each run in its first beat.
        const unsigned run_words = dla_ceil_div(load.bytes + d.machine.bus_bytes - 1, d.machine.bus_bytes);
        EXPECT_LE(load.runs * run_words * d.machine.bus_bytes, at.passes.residual_tile_bytes);
        EXPECT_EQ(load.offset,
                  (at.pass.ofmap_filter * at.passes.ofmap_rows + at.pass.ofmap_row) * at.passes.ofmap_cols);
      } else {
        const dla_pass& pass = at.pass;
        if (!load.is_residual) {
          EXPECT_EQ(filters.at(at.set.glb_word), load.offset) << "of the group's chunk, loaded or not";
        }
        const dla_load& in = ifmaps.at({pass.ifmap_word, pass.ifmap_channel});
        const unsigned plane = d.shape.H * d.shape.W;
        EXPECT_EQ(in.offset, pass.ifmap_offset + pass.ifmap_channel * plane);
        const unsigned group = d.mapping.g == 0 ? at.first[kDlaChannelGroups] : at.first[kDlaFilterTiles] / d.shape.M;
        EXPECT_EQ(in.offset / plane, group * d.shape.C + at.first[kDlaChunks]);
        EXPECT_EQ(in.offset % plane, static_cast<unsigned>(pass.top) * d.shape.W);
        EXPECT_EQ(in.runs, pass.extent.channels);
        // A resident chunk is given back by its last user in the last filter tile.
        held -= pass.release_ifmap;
        EXPECT_LT(held, at.passes.ifmap_buffers + 1);
      }
    }
    EXPECT_EQ(held, 0u);
  }
}

}  // namespace
