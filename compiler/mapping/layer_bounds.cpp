// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each term of a bound relaxes what is not known yet: groups of any size, the fewest strips, every byte read once.
#include "layer_bounds.h"

#include <algorithm>
#include <initializer_list>

#include "cost_model.h"
#include "filter_group.h"
#include "layer_timeline.h"
#include "mapping_space.h"
#include "spec/dla_schedule.h"

namespace fovea {
namespace {

/// Filters that the PEs go through one after another: p of a whole group, and not more than are left. The smallest sum
/// of min(f, p) over groups of f <= p * t filters, as that is concave in f.
std::uint64_t serial_filters(const dla_shape& s, const dla_mapping& m) {
  const std::uint64_t group = std::uint64_t{m.p} * m.t, M = dla_tiled_filters(&s, &m);
  return dla_group_turns(&s, &m) * (M / group * m.p + std::min<std::uint64_t>(M % group, m.p));
}

std::uint64_t all_filters(const dla_shape& s) { return std::uint64_t{dla_groups(&s)} * s.M; }
std::uint64_t loaded_channels(const dla_shape& s) { return s.ifmap_on_chip ? 0 : std::uint64_t{dla_groups(&s)} * s.C; }

/// `of_a_tile` filters a piece, of all: of a group each, or of several groups.
std::uint64_t pieces_of_filters(const dla_shape& s, const dla_mapping& m, std::uint64_t of_a_tile) {
  return dla_group_turns(&s, &m) * ceil_div(dla_tiled_filters(&s, &m), of_a_tile);
}

/// Calls visit(channel sets r', channels q' of each, count). \pre PEs do not hold whole groups.
template <typename Visit>
void for_chunks(const dla_shape& s, const dla_mapping& m, Visit visit) {
  for (const dla_piece& chunk : dla_cut(dla_loop_of(&s, &m, nullptr, kDlaChunks)).sizes) {
    visit(ceil_div(chunk.size, m.q), std::min(chunk.size, m.q), chunk.count);
  }
}

/// Cycles in which the PEs multiply: F p' q' S a pass.
std::uint64_t product_cycles(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, std::uint64_t strips) {
  std::uint64_t channels = m.g == 0 ? 0 : s.C;
  if (m.g == 0) {
    for_chunks(s, m, [&](std::uint64_t, std::uint64_t q, std::uint64_t count) { channels += count * q; });
  }
  return strips * passes.folds * passes.F * s.S * serial_filters(s, m) * channels;
}

/// Output rows that at least so many strips compute.
std::uint64_t least_rows(const dla_shape& s, const dla_passes& passes, std::uint64_t strips) {
  const std::int32_t shared = dla_shared_rows(&s);
  return shared < 0 ? std::uint64_t{passes.ofmap_rows} * dla_pool_size(&s)
                    : passes.E + (strips - 1) * static_cast<std::uint64_t>(shared);
}

/// Cycles in which psums leave the array: one lane takes one a cycle.
std::uint64_t psum_cycles(const dla_machine& machine, const dla_shape& s, const dla_passes& passes,
                          std::uint64_t strips) {
  const std::uint64_t psums = all_filters(s) * least_rows(s, passes, strips) * passes.F;
  return std::uint64_t{passes.c_chunks} * passes.folds * (psums / machine.psum_lanes);
}

/// Biases and scales.
std::uint64_t parameter_bytes(const dla_shape& s) { return (s.filter_scales ? 8 : 4) * all_filters(s); }

/// Cycles in which filters, biases and scales are fed, of one row tile: what pads them may be fed too.
std::uint64_t filter_feed_cycles(const dla_machine& machine, const dla_shape& s) {
  return (all_filters(s) * s.C * s.R * s.S + parameter_bytes(s)) / machine.filter_bytes_per_cycle;
}

/// Ifmap words of a pixel, over all chunks, or over all passes with groups of their own; of groups of filters that have
/// words of their own.
std::uint64_t pixel_words(const dla_machine& machine, const dla_shape& s, const dla_mapping& m) {
  std::uint64_t words = 0;
  if (m.g == 0) {
    for_chunks(s, m, [&](std::uint64_t r, std::uint64_t q, std::uint64_t count) {
      words += count * ceil_div(q * r, machine.ifmap_bytes_per_cycle);
    });
    return pieces_of_filters(s, m, m.p * m.t) * words;
  }
  for (const dla_piece& group : dla_cut(dla_loop_of(&s, &m, nullptr, kDlaGroups)).sizes) {
    if (group.count != 0) {
      const dla_extent extent = dla_extent_of(&m, group.size, 0, 1, 1);
      words += group.count * dla_pixel_words(&machine, &s, &extent);
    }
  }
  return words;
}

/// Cycles in which the bus brings the residual: a run for each filter's rows of a strip, or one for a group's, where
/// each strip has all rows. \param words  Of the residual, if it is loaded; else 0.
std::uint64_t residual_cycles(const dla_shape& s, const dla_mapping& m, const dla_passes& passes, std::uint64_t strips,
                              std::uint64_t words) {
  if (words == 0) {
    return 0;
  }
  const std::uint64_t groups = pieces_of_filters(s, m, m.p * m.t);
  const std::uint64_t runs = dla_is_one_run(&s, &passes, dla_pooled(&s, m.e)) ? groups : all_filters(s);
  return strips * groups * kDlaLoadJobCycles +
         std::max(least_load_cycles(strips * runs, words), strips * runs * load_run_cycles(1));
}

/// Cycles in which ifmap words for the next column arrive, first columns left out.
std::uint64_t ifmap_cycles(const dla_machine& machine, const dla_shape& s, const dla_mapping& m,
                           const dla_passes& passes, std::uint64_t strips) {
  std::uint64_t rows = 0;
  for (std::uint32_t row0 = 0; row0 < s.R; row0 += passes.fold_rows) {
    const std::uint64_t fold_rows = std::min(passes.fold_rows, s.R - row0);
    rows += (least_rows(s, passes, strips) - strips) * std::min<std::uint64_t>(s.U, fold_rows) + strips * fold_rows;
  }
  return std::uint64_t{passes.F - dla_tail_steps(&s, passes.F)} * dla_new_cols(&s) * pixel_words(machine, s, m) * rows;
}

/// Cycles of all passes: on each kind of chunk, products, psums or ifmap words bind, or where a chunk like it follows,
/// its filters. \param cut  The strips; null where only their number is known. \pre PEs do not hold whole groups.
std::uint64_t passes_cycles(const dla_machine& machine, const dla_shape& s, const dla_mapping& m,
                            const dla_passes& passes, std::uint64_t strips, std::uint64_t e_tiles,
                            const dla_pieces* cut) {
  const std::uint64_t F = passes.F, filters = all_filters(s), products_a_channel = F * serial_filters(s, m) * s.S;
  const std::uint64_t groups = pieces_of_filters(s, m, m.p * m.t);
  const std::uint64_t ifmap_columns = groups * (F - dla_tail_steps(&s, passes.F)) * dla_new_cols(&s);
  const dla_pieces folds = dla_cut(dla_loop_of(&s, &m, &passes, kDlaFolds));
  const std::uint64_t rows = least_rows(s, passes, strips);
  std::uint64_t cycles = 0;
  for_chunks(s, m, [&](std::uint64_t r, std::uint64_t q, std::uint64_t chunks) {
    if (chunks == 0) {
      return;
    }
    const std::uint64_t products = products_a_channel * q;
    const std::uint64_t row_words = ifmap_columns * ceil_div(q * r, machine.ifmap_bytes_per_cycle);
    std::uint64_t array = 0;
    for (const dla_piece& fold : folds.sizes) {
      const std::uint64_t new_rows = std::min(fold.size, s.U);
      if (cut == nullptr) {
        const std::uint64_t ifmap = row_words * ((rows - strips) * new_rows + strips * fold.size);
        array += fold.count * std::max({strips * products, F * filters * rows / machine.psum_lanes, ifmap});
        continue;
      }
      for (const dla_piece& strip : cut->sizes) {
        const std::uint64_t ifmap = row_words * ((strip.size - 1) * new_rows + fold.size);
        array += fold.count * strip.count * std::max({products, F * filters * strip.size / machine.psum_lanes, ifmap});
      }
    }
    const std::uint64_t feed = e_tiles * (filters * q * r * s.R * s.S / machine.filter_bytes_per_cycle +
                                          kFeedTurnCycles * passes.folds * groups);
    cycles += (chunks - 1) * std::max(array, feed) + array;
  });
  return cycles;
}

/// What a layer takes before its passes and after them, in cycles.
struct Edges {
  std::uint64_t filled;  ///< From START until the first window is in the PEs.
  std::uint64_t ifmap;   ///< From START until the bus is free of the first ifmap chunk, or could bring filters; or
                         ///< until those on chip may be fed.
  std::uint64_t load;    ///< The first filter set on the bus,
  std::uint64_t feed;    ///< and on its way to the PEs.
  std::uint64_t last;    ///< The last pass.
  std::uint64_t end;     ///< From its last product to DONE.
};

/// \param rows     Output rows of the first row tile, or the fewest.
/// \param filters  Of the first group, or the fewest.
Edges edges_of(const dla_machine& machine, const dla_shape& s, const dla_mapping& m, const dla_passes& passes,
               std::uint32_t rows, std::uint32_t filters) {
  const dla_extent first =
      dla_extent_of(&m, filters, std::min(s.C, dla_chunk_channels(&m)), std::min(passes.fold_rows, s.R), m.e);
  const bool is_last = passes.c_chunks * passes.folds == 1;
  const dla_filter_set set = dla_filter_set_of(&machine, &s, &first, true, is_last);
  const dla_lengths lengths = dla_pass_lengths(&machine, &s, &first);
  const std::uint64_t run_bytes = std::uint64_t{std::min(s.H, (rows - 1) * s.U + s.R)} * s.W;
  const std::uint64_t products = std::uint64_t{passes.F} * s.S * (m.g == 0 ? 1 : s.C);
  Edges edges;
  const std::uint64_t ifmap_load =
      s.ifmap_on_chip ? 0
                      : kDlaLoadJobCycles + first.channels * load_run_cycles(ceil_div(run_bytes, machine.bus_bytes));
  edges.ifmap = start_cycles(machine) + kRequestCycles + ifmap_load + kTokenCycles;
  edges.filled = (s.ifmap_on_chip ? start_cycles(machine) : edges.ifmap) + dla_window_cycles(&lengths);
  edges.load = kDlaLoadJobCycles + load_run_cycles(dla_set_bytes(&set) / machine.bus_bytes);
  if (s.filters_on_chip) {
    edges.ifmap = start_cycles(machine);
    edges.load = 0;
  }
  edges.feed = dla_set_words(&set) + kFeedTurnCycles;
  edges.last = std::max<std::uint64_t>(products, kDlaMinPassCycles);
  // A slot has a psum word at least, and a tile one to gather and one cycle to end.
  edges.end = 1 + passes.segment_rows + passes.output_cycles + 2 + last_response_cycles(s);
  return edges;
}

}  // namespace

std::string_view to_text(Limit limit) {
  constexpr std::string_view kNames[] = {"products", "psum network", "ifmap network", "DRAM reads",
                                         "store",    "sequencer",    "filter network"};
  return kNames[static_cast<int>(limit)];
}

LayerBounds::LayerBounds(const dla_machine& machine, const AccessEnergy* costs, const dla_shape& shape)
    : machine_(machine), costs_(costs), shape_(shape), ifmap_bytes_{UINT64_MAX} {
  dla_mapping mapping = smallest_mapping(machine, shape);
  mapping.ifmap_resident = true;
  for (mapping.e_glb = 1; mapping.e_glb <= output_rows(shape); ++mapping.e_glb) {
    if (mapping.e_glb < dla_pool_size(&shape)) {
      ifmap_bytes_.push_back(UINT64_MAX);  // No window.
      continue;
    }
    const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
    ifmap_bytes_.push_back(count_dram_bytes(machine, shape, mapping, passes).ifmap);
    ifmap_bytes_[0] = std::min(ifmap_bytes_[0], ifmap_bytes_.back());
  }
  const std::uint64_t word = dla_filter_word_bytes(&machine);
  for (std::uint64_t q = 0; q <= machine.ifmap_spad_bytes / shape.S; ++q) {
    std::vector<std::uint64_t>& fewest = row_bytes_.emplace_back(1, UINT64_MAX);
    for (std::uint64_t p = 1; p <= machine.max_pe_filters; ++p) {
      fewest.push_back(std::min(fewest.back(), shape.M * (ceil_div(p * q * shape.S, word) * word) / p));
    }
  }
}

/// Of one row tile, whatever the groups: filters of a PE fill whole words only where they happen to.
std::uint64_t LayerBounds::filter_bytes(const dla_mapping& m) const {
  if (m.g != 0) {
    return dla_filter_stream_bytes(&machine_, &shape_, &m) - dla_table_bytes(&shape_);
  }
  std::uint64_t bytes = 0;
  for_chunks(shape_, m, [&](std::uint64_t r, std::uint64_t q, std::uint64_t count) {
    bytes += count * r * shape_.R * row_bytes_[q][m.p];
  });
  return dla_groups(&shape_) * bytes + parameter_bytes(shape_);
}

/// Of a row tile's filters, those that may stay in the GLB: what it holds beside the psums of the passes' m.
std::uint64_t LayerBounds::most_staying_bytes(const dla_passes& passes) const {
  const std::uint64_t buffers = filter_buffers_in(passes, filter_room(machine_, passes));
  return buffers * passes.filter_chunk_bytes;
}

Bound LayerBounds::bound(const dla_mapping& mapping, AccessCounts counts, const Pieces& pieces) const {
  const dla_passes& passes = pieces.passes;
  const std::uint64_t strips = pieces.strips, e_tiles = pieces.e_tiles;
  const std::uint64_t outputs = all_filters(shape_) * passes.ofmap_plane, words = outputs / machine_.bus_bytes;
  const bool loads_residual = shape_.residual && !shape_.residual_on_chip;
  counts.dram_bytes.ofmap = shape_.ofmap_on_chip ? 0 : outputs;
  counts.dram_bytes.residual = loads_residual ? outputs : 0;
  counts.glb_reads.residual = shape_.residual ? words : 0;
  counts.glb_writes.residual = loads_residual ? words : 0;
  counts.glb_writes.ofmap += shape_.ofmap_on_chip ? words : 0;
  counts.glb_reads.ofmap = gathered_words(machine_, shape_, passes);
  counts.glb_reads.filter = e_tiles * (pieces.filter_bytes / machine_.bus_bytes);
  counts.glb_writes.filter = counts.dram_bytes.filter / machine_.bus_bytes;
  counts.glb_writes.ifmap = counts.dram_bytes.ifmap / machine_.bus_bytes;
  const std::uint64_t groups = pieces_of_filters(shape_, mapping, mapping.p * mapping.t);
  const std::uint64_t sets = pieces_of_filters(shape_, mapping, mapping.p);
  const std::uint64_t turns = e_tiles * passes.c_chunks * passes.folds;  // Of all groups.
  const std::uint64_t least_passes = strips * groups * passes.c_chunks * passes.folds;
  const std::uint64_t cycles[] = {product_cycles(shape_, mapping, passes, strips),
                                  psum_cycles(machine_, shape_, passes, strips),
                                  ifmap_cycles(machine_, shape_, mapping, passes, strips),
                                  least_load_cycles(pieces.ifmap_runs, counts.glb_writes.ifmap) +
                                      counts.glb_writes.filter +
                                      residual_cycles(shape_, mapping, passes, strips, counts.glb_writes.residual),
                                  counts.glb_reads.ofmap,
                                  sequencer_cycles(turns * sets, least_passes, turns * groups),
                                  e_tiles * filter_feed_cycles(machine_, shape_) + kFeedTurnCycles * turns * groups};
  const std::uint64_t* most = std::max_element(std::begin(cycles), std::end(cycles));
  const auto most_of = [&](std::initializer_list<Limit> limits) {
    std::uint64_t most_cycles = 0;
    for (const Limit limit : limits) {
      most_cycles = std::max(most_cycles, cycles[static_cast<int>(limit)]);
    }
    return most_cycles;
  };
  const Edges edges = edges_of(machine_, shape_, mapping, passes, pieces.rows, pieces.filters);
  const std::uint64_t asked = start_cycles(machine_) + kRequestCycles;
  const std::uint64_t passes_begin = std::max(edges.filled, edges.ifmap + edges.load + edges.feed);
  const std::uint64_t coarse = most_of({Limit::kProducts, Limit::kPsumNetwork, Limit::kIfmapNetwork});
  const std::uint64_t array = std::max(
      coarse, mapping.g == 0 ? passes_cycles(machine_, shape_, mapping, passes, strips, e_tiles, pieces.cut) : 0);
  const std::uint64_t bus = most_of({Limit::kDramReads, Limit::kStore});
  const std::uint64_t passes_take = std::max(array, most_of({Limit::kSequencer}));
  const std::uint64_t passes_end = passes_begin + passes_take;
  const std::uint64_t feeds_end = edges.ifmap + edges.load + most_of({Limit::kFilterNetwork}) + edges.last;
  // Sums of the same terms in another order may round differently.
  const double energy = costs_ == nullptr ? 0 : price_energy(*costs_, counts).total() * (1 - 1e-12);
  return {{std::max(std::max(passes_end, feeds_end) + edges.end, asked + bus), counts.dram_bytes.total(), least_passes,
           energy, UINT32_MAX, asked + std::max(array, most_of({Limit::kSequencer, Limit::kFilterNetwork}))},
          static_cast<Limit>(most - cycles),
          asked + std::max(coarse, bus),
          passes_take + edges.end,
          edges.end};
}

Bound LayerBounds::of_array(const dla_mapping& array) const {
  AccessCounts counts;
  if (costs_ != nullptr) {
    counts = bound_accesses(machine_, shape_, array, Open::kTiles);
  }
  const std::uint64_t filters = filter_bytes(array);
  counts.dram_bytes.ifmap = ifmap_bytes_[0];
  counts.dram_bytes.filter = shape_.filters_on_chip ? 0 : filters;
  const std::uint64_t strips = ceil_div(dla_row_step(&shape_, output_rows(shape_)), dla_row_step(&shape_, array.e));
  const dla_passes passes = dla_derive_passes(&machine_, &shape_, &array);
  const std::uint32_t first = array.g == 0 ? 1 : std::min(array.p * array.t, dla_tiled_filters(&shape_, &array));
  return bound(array, counts, {passes, filters, strips, 1, loaded_channels(shape_), array.e, first, nullptr});
}

Bound LayerBounds::of_tiles(dla_mapping tiles, std::uint32_t most_filters) const {
  if (tiles.g == 0) {
    tiles.m = 1;  // Which leaves the filters the most room; nothing else here follows from m.
  }
  AccessCounts counts;
  if (costs_ != nullptr) {
    counts = bound_accesses(machine_, shape_, tiles, Open::kFilterTiles);
  }
  const dla_passes passes = dla_derive_passes(&machine_, &shape_, &tiles);
  const std::uint64_t loads = tiles.ifmap_resident || tiles.g != 0 ? 1 : ceil_div(shape_.M, most_filters);
  counts.dram_bytes.ifmap = loads * ifmap_bytes_[tiles.e_glb];
  const std::uint64_t filters = filter_bytes(tiles), later_tiles = passes.e_tiles - 1;
  const std::uint64_t again = later_tiles == 0 ? 0 : later_tiles * excess(filters, most_staying_bytes(passes));
  counts.dram_bytes.filter = shape_.filters_on_chip ? 0 : filters + again;
  const dla_pieces cut = dla_cut(dla_loop_of(&shape_, &tiles, &passes, kDlaStrips));
  const std::uint64_t strips = cut.sizes[0].count + cut.sizes[1].count + cut.sizes[2].count;
  const bool has_whole_groups = tiles.g != 0 || filter_tile_step(shape_, tiles) != 1;
  const std::uint32_t first = has_whole_groups ? std::min(tiles.p * tiles.t, most_filters) : 1;
  return bound(tiles, counts,
               {passes, filters, strips, passes.e_tiles, loads * passes.e_tiles * loaded_channels(shape_),
                std::min(tiles.e_glb, passes.E), std::min(first, dla_tiled_filters(&shape_, &tiles)), &cut});
}

}  // namespace fovea
