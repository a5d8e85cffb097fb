// SPDX-License-Identifier: Apache-2.0
/// \file
/// The filter stream against a walk over the machine's loops that collects every byte a PE is to get.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dla_schedule.h"
#include "drawn_layers.h"

namespace {

/// Walks the machine's loops and appends every byte that a PE, the biases or the scales are to get, by the header's
/// words.
std::vector<std::uint8_t> walk_stream(const Drawn& d, const std::vector<std::int8_t>& filter,
                                      const std::vector<std::int32_t>& bias, const std::vector<float>& scale) {
  const dla_shape& s = d.shape;
  const dla_mapping& map = d.mapping;
  const unsigned fold_rows = dla_derive_passes(&d.machine, &s, &map).fold_rows;
  std::vector<std::uint8_t> bytes;
  const auto pad = [&] {
    const std::size_t word = std::max(d.machine.bus_bytes, d.machine.filter_bytes_per_cycle);
    bytes.resize((bytes.size() + word - 1) / word * word);
  };
  const bool whole_groups = map.g != 0;
  for_parts(d, [&](const Part& part) {
    for_tiles(part.filters, map.m, [&](unsigned tile0, unsigned tile) {
      for_tiles(part.channels, map.q * (whole_groups ? map.t : map.r), [&](unsigned c0, unsigned channels) {
        for_tiles(s.R, fold_rows, [&](unsigned row0, unsigned rows) {
          for_tiles(tile, map.p * map.t, [&](unsigned group0, unsigned filters) {
            const unsigned m0 = part.m0 + tile0 + group0;
            for (unsigned i = 0; c0 == 0 && row0 == 0 && i < filters * 4; ++i) {
              bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(bias[m0 + i / 4]) >> (i % 4 * 8)));
            }
            pad();
            const bool ends = s.filter_scales && c0 + channels == part.channels && row0 + rows == s.R;
            for (unsigned i = 0; ends && i < filters * 4; ++i) {
              bytes.push_back(reinterpret_cast<const std::uint8_t*>(&scale[m0 + i / 4])[i % 4]);
            }
            pad();
            // A lone set is as narrow as what it has; beside others, its missing filters or channels are zeros.
            const unsigned width_p = std::min(map.p, filters);
            const unsigned width_q = whole_groups ? s.C : std::min(map.q, channels);
            const unsigned sets_c = whole_groups ? 1 : channels;
            for_tiles(filters, map.p, [&](unsigned set_m, unsigned) {
              for_tiles(sets_c, map.q, [&](unsigned set_c, unsigned) {
                for (unsigned row = row0; row < row0 + rows; ++row, pad()) {
                  for (unsigned i = 0; i < width_p * width_q * s.S; ++i) {
                    const unsigned m = set_m + i / (width_q * s.S), c = set_c + i / s.S % width_q, col = i % s.S;
                    const bool exists = m < filters && c < channels;
                    bytes.push_back(
                        exists ? static_cast<std::uint8_t>(filter[(((m0 + m) * s.C + c0 + c) * s.R + row) * s.S + col])
                               : 0);
                  }
                }
              });
            });
          });
        });
      });
    });
  });
  return bytes;
}

TEST(FilterStream, IsWhatTheLoopsRead) {
  std::mt19937 random(8);
  for (const Drawn& d : draw_legal(9, 300)) {
    std::vector<std::int8_t> filter(dla_groups(&d.shape) * d.shape.M * d.shape.C * d.shape.R * d.shape.S);
    std::vector<std::int32_t> bias(dla_groups(&d.shape) * d.shape.M);
    for (std::int8_t& w : filter) {
      w = static_cast<std::int8_t>(random());
    }
    for (std::int32_t& b : bias) {
      b = static_cast<std::int32_t>(random());
    }
    std::vector<float> scale(d.shape.filter_scales ? bias.size() : 0);
    for (float& x : scale) {
      x = static_cast<float>(random()) / 65536;
    }
    std::vector<std::uint8_t> table(d.shape.lookup ? 256 : 0);
    for (std::uint8_t& y : table) {
      y = static_cast<std::uint8_t>(random());
    }
    std::vector<std::uint8_t> expected = walk_stream(d, filter, bias, scale);
    expected.insert(expected.begin(), table.begin(), table.end());
    ASSERT_EQ(dla_filter_stream_bytes(&d.machine, &d.shape, &d.mapping), expected.size());
    std::vector<std::uint8_t> stream(expected.size() + 1, 0xa5);
    dla_lay_out_filters(&d.machine, &d.shape, &d.mapping, filter.data(), bias.data(), scale.data(), table.data(),
                        stream.data());
    EXPECT_EQ(stream.back(), 0xa5) << "written beyond its end";
    stream.pop_back();
    ASSERT_EQ(stream, expected);
  }
}

TEST(FilterStream, NoChunkExceedsItsBuffer) {
  for (const Drawn& d : draw_legal(10, 400)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    for (unsigned filters = 1; filters <= std::min(d.mapping.p * d.mapping.t, d.shape.M); ++filters) {
      if (d.mapping.g != 0 && filters % d.shape.M != 0) {
        continue;
      }
      for (unsigned channels = 1; channels <= std::min(d.mapping.q * d.mapping.r, d.shape.C); ++channels) {
        const dla_extent chunk = dla_extent_of(&d.mapping, filters, channels, passes.fold_rows, d.mapping.e);
        EXPECT_GE(chunk.t * chunk.p, filters);
        EXPECT_GE(chunk.r * chunk.q, d.mapping.g == 0 ? channels : std::min(chunk.channels, d.mapping.q));
        const dla_filter_set set = dla_filter_set_of(&d.machine, &d.shape, &chunk, true, true);
        EXPECT_LE(dla_set_bytes(&set), passes.filter_chunk_bytes);
      }
    }
  }
}

}  // namespace
