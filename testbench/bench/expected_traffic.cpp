// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a layer must move and how many passes it must take, counted by walking its loops.
#include "expected_traffic.h"

#include <algorithm>

namespace fovea {

namespace {

uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Bytes of the bus words that hold rows `first` to `last` - 1 of channel `c`.
uint64_t touched_bytes(const dla_machine& machine, const dla_layer& layer, uint32_t c, uint64_t first, uint64_t last) {
  const dla_shape& s = layer.shape;
  const uint64_t rows = s.ifmap_plane_rows == 0 ? s.H : s.ifmap_plane_rows;
  const uint64_t plane = layer.ifmap_addr + uint64_t{c} * rows * s.W;
  const uint64_t begin = (plane + first * s.W) / machine.bus_bytes;
  const uint64_t end = ceil_div(plane + last * s.W, machine.bus_bytes);
  return (end - begin) * machine.bus_bytes;
}

/// Bytes of the ifmap rows that output rows y to y + rows - 1 need, over all channels: at least one row of each, even
/// where all of them are padding.
uint64_t tile_bytes(const dla_machine& machine, const dla_layer& layer, uint64_t y, uint64_t rows) {
  const dla_shape& s = layer.shape;
  const int64_t top = static_cast<int64_t>(y * s.U) - s.pad_top;
  const int64_t bottom = static_cast<int64_t>((y + rows - 1) * s.U) - s.pad_top + s.R - 1;
  const auto first = static_cast<uint64_t>(std::clamp<int64_t>(top, 0, s.H - 1));
  const auto last = static_cast<uint64_t>(std::clamp<int64_t>(bottom, 0, s.H - 1));
  uint64_t bytes = 0;
  for (uint32_t c = 0; c < dla_groups(&s) * s.C; ++c) {
    bytes += touched_bytes(machine, layer, c, first, last + 1);
  }
  return bytes;
}

/// Bytes of the first `count` chunks of the filter stream of a row tile, and how many chunks there are.
struct Chunks {
  uint64_t bytes = 0, count = 0;
};

Chunks first_chunks(const dla_machine& machine, const dla_layer& layer, const dla_passes& passes, uint64_t count) {
  const dla_shape& s = layer.shape;
  const dla_mapping& m = layer.mapping;
  const uint32_t all = m.g == 0 ? s.M : dla_groups(&s) * s.M, turns = m.g == 0 ? dla_groups(&s) : 1;
  Chunks chunks;
  for (uint32_t turn = 0; turn < turns; ++turn) {
    for (uint32_t m0 = 0; m0 < all; m0 += m.m) {
      for (uint32_t c = 0; c < s.C; c += m.g == 0 ? m.q * m.r : s.C) {
        for (uint32_t row = 0; row < s.R; row += passes.fold_rows) {
          for (uint32_t f = 0; f < std::min(m.m, all - m0); f += m.p * m.t) {
            const uint32_t filters = std::min(m.p * m.t, std::min(m.m, all - m0) - f);
            const uint32_t channels = m.g == 0 ? std::min(m.q * m.r, s.C - c) : filters / s.M * s.C;
            const uint32_t rows = std::min(passes.fold_rows, s.R - row);
            const bool last_c = m.g != 0 || c + channels == s.C;
            dla_filter_chunk chunk = {m0 + f,
                                      filters,
                                      c,
                                      channels,
                                      row,
                                      rows,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      c == 0 && row == 0,
                                      last_c && row + rows == s.R};
            dla_split_chunk(&m, &chunk);
            chunks.bytes += chunks.count++ < count ? dla_filter_chunk_bytes(&machine, &s, &chunk) : 0;
          }
        }
      }
    }
  }
  return chunks;
}

/// Bytes of a row tile's filters that a later row tile finds in the GLB.
uint64_t staying_bytes(const dla_machine& machine, const dla_layer& layer, const dla_passes& passes) {
  const Chunks first = first_chunks(machine, layer, passes, layer.mapping.stay);
  const bool all_stay = layer.mapping.stay != 0 && first.count <= layer.mapping.filter_buffers;
  return all_stay ? first_chunks(machine, layer, passes, first.count).bytes : first.bytes;
}

/// Bytes of the bus words of a residual: runs of a filter's rows in a strip, or of all its filters' where a strip has
/// all rows, of planes without a gap. `filters` are those of a tile of m, the first of them `first`.
uint64_t residual_bytes(const dla_machine& machine, const dla_layer& layer, const dla_passes& passes, uint32_t first,
                        uint32_t filters, uint32_t y, uint32_t rows) {
  const dla_shape& s = layer.shape;
  const uint64_t cols = passes.ofmap_cols, all_rows = passes.ofmap_rows;
  const uint64_t plane = cols * (s.residual_plane_rows == 0 ? all_rows : s.residual_plane_rows);
  const bool has_gaps = plane != cols * all_rows || (s.ofmap_plane_rows != 0 && s.ofmap_plane_rows != all_rows);
  const uint32_t group = layer.mapping.p * layer.mapping.t;
  uint64_t words = 0;
  const auto add = [&](uint64_t begin, uint64_t bytes) {
    words += ceil_div(layer.residual_addr + begin + bytes, machine.bus_bytes) -
             (layer.residual_addr + begin) / machine.bus_bytes;
  };
  for (uint32_t g = 0; g < filters; g += group) {
    const uint32_t count = std::min(group, filters - g);
    for (uint32_t strip = 0; strip < rows; strip += layer.mapping.e) {
      const uint32_t e = std::min(layer.mapping.e, rows - strip);
      const uint64_t begin = (first + g) * plane + (y + strip) * cols;
      const bool is_one = e == all_rows && !has_gaps && !s.ofmap_on_chip;
      for (uint32_t f = 0; !is_one && f < count; ++f) {
        add(begin + f * plane, e * cols);
      }
      if (is_one) {
        add(begin, count * plane);
      }
    }
  }
  return words * machine.bus_bytes;
}

/// The same of all filters.
uint64_t residual_bytes(const dla_machine& machine, const dla_layer& layer, const dla_passes& passes, uint32_t y,
                        uint32_t rows) {
  const uint32_t tiled = dla_tiled_filters(&layer.shape, &layer.mapping);
  uint64_t bytes = 0;
  for (uint32_t group = 0; group < dla_group_turns(&layer.shape, &layer.mapping); ++group) {
    for (uint32_t m0 = 0; m0 < tiled; m0 += layer.mapping.m) {
      const uint32_t filters = std::min(layer.mapping.m, tiled - m0);
      bytes += residual_bytes(machine, layer, passes, group * tiled + m0, filters, y, rows);
    }
  }
  return bytes;
}

}  // namespace

ExpectedTraffic expect_traffic(const dla_machine& machine, const dla_layer& layer) {
  const dla_mapping& m = layer.mapping;
  const dla_passes passes = dla_derive_passes(&machine, &layer.shape, &m);
  ExpectedTraffic expected;
  const uint32_t groups = dla_groups(&layer.shape);
  expected.write_bytes = layer.shape.ofmap_on_chip ? 0 : uint64_t{groups} * layer.shape.M * passes.ofmap_plane;
  const uint32_t shared = static_cast<uint32_t>(dla_shared_rows(&layer.shape));
  for (uint32_t y = 0; y < passes.E - shared; y += m.e_glb - shared) {
    const uint32_t rows = std::min(m.e_glb, passes.E - y);
    const uint64_t strips = ceil_div(rows - shared, m.e - shared);
    const bool loads_once = m.ifmap_resident || m.g != 0;
    const uint64_t loads = layer.shape.ifmap_on_chip ? 0 : loads_once ? 1 : passes.m_tiles;
    expected.ifmap_read_bytes += loads * tile_bytes(machine, layer, y, rows);
    const uint64_t table = layer.shape.lookup ? DLA_TABLE_BYTES : 0;
    expected.filter_read_bytes += y == 0 ? table : 0;
    if (!layer.shape.filters_on_chip) {
      expected.filter_read_bytes += dla_filter_stream_bytes(&machine, &layer.shape, &m) - table;
      expected.filter_read_bytes -= y == 0 ? 0 : staying_bytes(machine, layer, passes);
    }
    const bool loads_residual = layer.shape.residual && !layer.shape.residual_on_chip;
    expected.residual_read_bytes += loads_residual ? residual_bytes(machine, layer, passes, y, rows) : 0;
    if (m.g != 0) {
      expected.passes += ceil_div(groups, m.g * m.t) * passes.folds * strips;
      continue;
    }
    for (uint32_t m0 = 0; m0 < layer.shape.M; m0 += m.m) {
      const uint32_t filters = std::min(m.m, layer.shape.M - m0);
      expected.passes += groups * ceil_div(filters, m.p * m.t) * passes.c_chunks * passes.folds * strips;
    }
  }
  return expected;
}

}  // namespace fovea
