// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products of sums: each letter's pieces are summed on their own, as a pass is one piece of each.
#include "access_counts.h"

#include <algorithm>
#include <cstdlib>

#include "spec/dla_schedule.h"

namespace fovea {
namespace {

/// `count` intervals of `length`, the first at `first`, each `step` behind the one before.
struct Intervals {
  std::int64_t first, step, count, length;
};

/// Numbers from 0 to limit - 1 that lie in the intervals, those in several counted for each. Only intervals that hang
/// over an end are looked at.
std::uint64_t count_inside(const Intervals& in, std::int64_t limit) {
  std::int64_t inside = in.count * in.length;
  for (std::int64_t i = 0; i < in.count && in.first + i * in.step < 0; ++i) {
    inside -= std::min(in.length, -(in.first + i * in.step));
  }
  for (std::int64_t i = in.count - 1; i >= 0 && in.first + i * in.step + in.length > limit; --i) {
    inside -= std::min(in.length, in.first + i * in.step + in.length - limit);
  }
  return static_cast<std::uint64_t>(inside);
}

/// What the accesses are products of. Idle lanes count as filters and channels.
struct Sums {
  std::uint64_t rows = 0;                 ///< Output rows that are computed, over strips.
  std::uint64_t groups = 0;               ///< Of p*t filters, in all tiles of m.
  std::uint64_t filters = 0;              ///< p' t' over the groups.
  std::uint64_t filter_sets = 0;          ///< t' over the groups.
  std::uint64_t psum_words_a_column = 0;  ///< GLB words: p' ceil(e' t' / lanes) over groups and strips, in each column.
  std::uint64_t channels = 0;             ///< q' r' over the chunks; of a filter where PEs hold whole groups.
  std::uint64_t channels_read = 0;        ///< Channels that are read from the GLB, over groups and chunks.
  std::uint64_t set_channels = 0;         ///< Channels that PE sets take, over groups and chunks.
  std::uint64_t rows_inside = 0;          ///< Ifmap rows that exist, over strips and folds, of one group and channel.
  std::uint64_t pe_columns = 0;           ///< Output rows whose PEs take filters, over the row tiles.
};

/// The sums over groups of filters that follow from m.
void add_groups(const dla_machine& machine, const dla_shape& s, const dla_mapping& m, const dla_passes& passes,
                Sums& sums) {
  const dla_pieces strips = dla_cut(dla_loop_of(&s, &m, &passes, kDlaStrips));
  for (const dla_piece& group : dla_cut(dla_loop_of(&s, &m, &passes, kDlaGroups)).sizes) {
    const std::uint64_t t = ceil_div(group.size, m.p), p = std::min(group.size, m.p);
    sums.groups += group.count;
    sums.filters += group.count * t * p;
    sums.filter_sets += group.count * t;
    for (const dla_piece& strip : strips.sizes) {
      sums.psum_words_a_column +=
          group.count * strip.count * p * ceil_div(strip.size * t, machine.psum_lanes) * dla_psum_columns(&machine);
    }
  }
}

/// The same where M filters may be in groups of any size up to p*t.
void bound_groups(const dla_machine& machine, const dla_shape& s, const dla_mapping& m, Sums& sums) {
  const std::uint64_t M = dla_tiled_filters(&s, &m);
  sums.groups = ceil_div(M, m.p * m.t);
  sums.filters = M;
  sums.filter_sets = ceil_div(M, m.p);
  sums.psum_words_a_column = M * sums.rows / machine.psum_lanes * dla_psum_columns(&machine);
}

/// Whether what is read of a chunk is whole sets of channels: where each chunk has a buffer of its own.
bool reads_idle_channels(const dla_shape& s, const dla_mapping& m) { return !m.ifmap_resident && !s.ifmap_on_chip; }

void add_chunks(const dla_shape& s, const dla_mapping& m, bool reads_idle, Sums& sums) {
  if (m.g != 0) {
    sums.channels = s.C;
    for (const dla_piece& group : dla_cut(dla_loop_of(&s, &m, nullptr, kDlaGroups)).sizes) {
      const dla_extent extent = dla_extent_of(&m, group.size, 0, 1, 1);
      sums.set_channels += group.count * extent.t * extent.q;
      sums.channels_read += group.count * (reads_idle ? extent.t * extent.q : extent.channels);
    }
    return;
  }
  for (const dla_piece& chunk : dla_cut(dla_loop_of(&s, &m, nullptr, kDlaChunks)).sizes) {
    sums.channels += chunk.count * (chunk.size <= m.q ? chunk.size : ceil_div(chunk.size, m.q) * m.q);
  }
  sums.channels_read = sums.groups * (reads_idle ? sums.channels : s.C);
  sums.set_channels = sums.channels * sums.filter_sets;
}

/// Visits (first ifmap row of the fold, without padding; its rows; rows that an output row adds).
template <typename Visit>
void for_folds(const dla_shape& s, const dla_passes& passes, Visit visit) {
  for (std::uint32_t row0 = 0; row0 < s.R; row0 += passes.fold_rows) {
    const std::uint32_t rows = std::min(passes.fold_rows, s.R - row0);
    visit(static_cast<std::int64_t>(row0) - s.pad_top, rows, std::min(rows, s.U));
  }
}

/// Visits (first output row, rows, strips, rows from a strip to the next) of each row tile.
template <typename Visit>
void for_row_tiles(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, Visit visit) {
  const std::uint32_t step = dla_row_step(&s, m.e);
  std::uint32_t row = 0;
  for (std::uint32_t tile = 0; tile < passes.e_tiles; ++tile, row += dla_row_step(&s, m.e_glb)) {
    const std::uint32_t rows = std::min(m.e_glb, passes.E - row);
    visit(row, rows, dla_ceil_div(dla_row_step(&s, rows), step), step);
  }
}

/// The last output row of a strip also needs the rows that it shares with no row after it: `length` rows, `offset`
/// behind its first.
std::uint64_t last_rows_inside(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, std::int64_t offset,
                               std::int64_t length) {
  const std::int64_t U = s.U, e = m.e;
  std::uint64_t rows = 0;
  if (length > 0) {
    for_row_tiles(s, m, passes, [&](std::int64_t row, std::int64_t tile, std::int64_t strips, std::int64_t step) {
      const std::int64_t whole = (tile - e) / step + 1;
      rows += tile < e ? 0 : count_inside({(row + e - 1) * U + offset, step * U, whole, length}, s.H);
      if (tile < e || whole != strips) {
        rows += count_inside({(row + tile - 1) * U + offset, 0, 1, length}, s.H);
      }
    });
  }
  return rows;
}

/// `length` ifmap rows of each output row that strips share: `top` is the first of the first one.
std::uint64_t shared_rows_inside(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, std::int64_t top,
                                 std::int64_t length) {
  const std::int64_t shared = dla_shared_rows(&s);
  std::uint64_t rows = 0;
  for_row_tiles(s, m, passes, [&](std::int64_t row, std::int64_t, std::int64_t strips, std::int64_t step) {
    for (std::int64_t strip = 0; strip < strips && shared != 0; ++strip) {
      const std::int64_t first = row + strip * step;
      // Nothing is shared before the first strip of all.
      rows += first == 0
                  ? 0
                  : count_inside(
                        {(first + std::min<std::int64_t>(shared, 0)) * s.U + top, s.U, std::abs(shared), length}, s.H);
    }
  });
  return rows;
}

void add_rows(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, Sums& sums) {
  for_folds(s, passes, [&](std::int64_t top, std::uint32_t rows, std::uint32_t new_rows) {
    sums.rows_inside += count_inside({top, s.U, passes.E, new_rows}, s.H) +
                        last_rows_inside(s, m, passes, top + new_rows, rows - new_rows);
    const std::uint64_t shared = shared_rows_inside(s, m, passes, top, new_rows);
    sums.rows_inside = dla_shared_rows(&s) < 0 ? sums.rows_inside - shared : sums.rows_inside + shared;
  });
  // Filters stay in the PEs for all strips of a row tile.
  for (const dla_piece& tile : dla_cut(dla_loop_of(&s, &m, &passes, kDlaRowTiles)).sizes) {
    sums.pe_columns += tile.count * std::min(m.e, tile.size);
  }
}

/// The same for any e_glb: there are ceil(E / e) strips at least, and few enough hang over either end.
void bound_rows(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, Sums& sums) {
  const std::uint64_t strips = ceil_div(dla_row_step(&s, passes.E), dla_row_step(&s, m.e)),
                      hanging = ceil_div(s.pad_top, s.U) + ceil_div(s.pad_bottom, s.U);
  // Of rows between windows none may be computed.
  const std::uint64_t left_out = std::uint64_t{passes.E} - std::min<std::uint64_t>(passes.E, sums.rows);
  for_folds(s, passes, [&](std::int64_t top, std::uint32_t rows, std::uint32_t new_rows) {
    const std::uint64_t inside = count_inside({top, s.U, passes.E, new_rows}, s.H);
    sums.rows_inside +=
        inside - std::min(inside, left_out * new_rows) + (strips - std::min(strips, hanging)) * (rows - new_rows);
  });
  sums.pe_columns = m.e;
}

/// Ifmap columns that exist, of those that a pass takes.
std::uint64_t cols_inside(const dla_shape& s, const dla_passes& passes) {
  const std::int64_t new_cols = dla_new_cols(&s), left = -static_cast<std::int64_t>(s.pad_left);
  return count_inside({left, 0, 1, s.S}, s.W) +
         count_inside({left + s.V + s.S - new_cols, s.V, passes.F - 1, new_cols}, s.W);
}

/// All but DRAM bytes and what follows from them.
AccessCounts multiply_out(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, const Sums& sums) {
  const std::uint64_t outputs = sums.rows * passes.F;
  const std::uint64_t k_steps = std::uint64_t{passes.c_chunks} * passes.folds;
  const std::uint64_t cols =
      dla_window_cols(&s) + (passes.F - dla_tail_steps(&s, passes.F)) * std::uint64_t{dla_new_cols(&s)};
  const std::uint64_t turns = dla_group_turns(&s, &m);
  AccessCounts counts;
  counts.glb_reads.ifmap = turns * sums.channels_read * sums.rows_inside * cols_inside(s, passes);
  counts.glb_reads.psum = counts.glb_writes.psum = turns * (k_steps - 1) * passes.F * sums.psum_words_a_column;
  counts.glb_writes.ofmap = turns * passes.ofmap_rows * passes.ofmap_cols * sums.filters;
  counts.pe.ifmap = turns * sums.rows * cols * s.R * sums.set_channels;
  counts.pe.filter = turns * sums.pe_columns * s.R * s.S * sums.filters * sums.channels;
  counts.pe.psum = turns * k_steps * outputs * sums.filters * (m.r * passes.fold_rows - 1);
  counts.macs = turns * outputs * s.R * s.S * sums.filters * sums.channels;
  counts.spad = {counts.pe.ifmap + counts.macs, counts.pe.filter + counts.macs, 0, 0};
  return counts;
}

}  // namespace

AccessCounts count_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  return count_accesses(machine, shape, mapping, count_dram_bytes(machine, shape, mapping, passes));
}

AccessCounts count_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                            const DramBytes& dram_bytes) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  Sums sums;
  for (const dla_piece& strip : dla_cut(dla_loop_of(&shape, &mapping, &passes, kDlaStrips)).sizes) {
    sums.rows += strip.count * strip.size;
  }
  add_groups(machine, shape, mapping, passes, sums);
  add_chunks(shape, mapping, reads_idle_channels(shape, mapping), sums);
  add_rows(shape, mapping, passes, sums);
  AccessCounts counts = multiply_out(shape, mapping, passes, sums);
  counts.dram_bytes = dram_bytes;
  // A table never lies in the GLB.
  const std::uint64_t table = dla_table_bytes(&shape);
  counts.glb_reads.filter =
      passes.e_tiles * ((dla_filter_stream_bytes(&machine, &shape, &mapping) - table) / machine.bus_bytes);
  counts.glb_writes.filter = (counts.dram_bytes.filter - table) / machine.bus_bytes;
  counts.glb_reads.ofmap = gathered_words(machine, shape, passes);
  counts.glb_writes.ifmap = counts.dram_bytes.ifmap / machine.bus_bytes;
  const ChipWords on_chip = count_chip_words(machine, shape, mapping, passes);
  counts.glb_writes.residual = counts.dram_bytes.residual / machine.bus_bytes;
  counts.glb_reads.residual = counts.glb_writes.residual + on_chip.residual;
  counts.glb_writes.ofmap += on_chip.ofmap;
  return counts;
}

AccessCounts bound_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping, Open open) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  Sums sums;
  sums.rows = dla_shared_rows(&shape) < 0 ? std::uint64_t{passes.ofmap_rows} * dla_pool_size(&shape) : passes.E;
  bound_groups(machine, shape, mapping, sums);
  if (open == Open::kTiles) {
    add_chunks(shape, mapping, false, sums);
    bound_rows(shape, mapping, passes, sums);
  } else {
    add_chunks(shape, mapping, reads_idle_channels(shape, mapping), sums);
    add_rows(shape, mapping, passes, sums);
  }
  return multiply_out(shape, mapping, passes, sums);
}

EnergyByLevel price_energy(const AccessEnergy& energy, const AccessCounts& counts) {
  const auto times = [](double one, std::uint64_t accesses) { return one * static_cast<double>(accesses); };
  return {times(energy.mac, counts.macs),
          times(energy.ifmap_spad, counts.spad.ifmap) + times(energy.filter_spad_write, counts.pe.filter) +
              times(energy.filter_spad_read, counts.macs),
          times(energy.operand_hop, counts.pe.ifmap + counts.pe.filter) + times(energy.psum_hop, counts.pe.psum),
          times(energy.glb_word, counts.glb_reads.total() + counts.glb_writes.total()),
          times(energy.dram_byte, counts.dram_bytes.total())};
}

}  // namespace fovea
