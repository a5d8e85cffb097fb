// SPDX-License-Identifier: Apache-2.0
/// \file
/// Groups as the cost model prices them, as if nothing waited for anything but the one part that a bound is about.
#include "filter_tile_bounds.h"

#include <algorithm>

#include "cost_model.h"
#include "layer_timeline.h"
#include "spec/dla_schedule.h"

namespace fovea {
namespace {

dla_pieces pieces_of(const MappedLayer& layer, dla_loop loop) {
  return dla_cut(dla_loop_of(&layer.shape, &layer.mapping, &layer.passes, loop));
}

}  // namespace

FilterTileBounds::FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles)
    : tiles_(tiles),
      layer_(machine, shape, tiles_),
      sequence_(layer_),
      most_(std::min(tiles.p * tiles.t, shape.M)),
      ifmap_bytes_(layer_.dram_bytes.ifmap / (tiles.ifmap_resident ? 1 : layer_.passes.m_tiles)),
      first_asked_(start_cycles(machine) + kRequestCycles),
      first_fed_(shape.ifmap_on_chip
                     ? start_cycles(machine)
                     : first_asked_ + ifmap_load_cycles(layer_, std::min(shape.C, tiles.q * tiles.r), tiles.e_glb) +
                           kTokenCycles),
      chunk_load_(kDlaLoadJobCycles + load_run_cycles(layer_.passes.filter_chunk_bytes / machine.bus_bytes)),
      begins_(most_ + 1),
      ends_(most_ + 1),
      costs_(most_ + 1),
      cycles_(shape.M + 1) {
  for (const dla_piece& tile : pieces_of(layer_, kDlaRowTiles).sizes) {
    const bool loads = tile.count != 0 && !shape.ifmap_on_chip;
    ifmap_load_ += loads ? tile.count * ifmap_load_cycles(layer_, shape.C, tile.size) : 0;
  }
}

void FilterTileBounds::set_residency(bool ifmap_resident, const Bound& bound) {
  tiles_.ifmap_resident = ifmap_resident;
  bound_ = bound;
  if (layer_.passes.e_tiles == 1) {
    return;  // Nothing stays.
  }
  dla_mapping least = tiles_;
  least.m = 1;
  const dla_passes passes = dla_derive_passes(&layer_.machine, &layer_.shape, &least);
  dla_glb_plan glb;
  dla_plan_passes(&layer_.machine, &passes, 2, 0, &glb);
  room_ = layer_.machine.glb_bytes - glb.ifmap.size_bytes - glb.out.size_bytes;
  group_psums_ = passes.psum_bytes;
}

/// Filter chunks that the GLB may hold beside the psums of m filters.
std::uint64_t FilterTileBounds::most_staying(std::uint32_t m) const {
  const std::uint64_t psums = dla_ceil_div(m, most_) * group_psums_;
  return std::min<std::uint64_t>(excess(room_, psums) / layer_.passes.filter_chunk_bytes,
                                 DLA_MAPPING_FILTER_BUFFERS_MAX);
}

/// Of a row tile.
Fold FilterTileBounds::last_fold(std::uint32_t rows) const {
  const dla_passes& passes = layer_.passes;
  return {rows, layer_.shape.C - (passes.c_chunks - 1) * tiles_.q * tiles_.r,
          layer_.shape.R - (passes.folds - 1) * passes.fold_rows, passes.c_chunks * passes.folds == 1, true};
}

const FilterTileBounds::GroupCost& FilterTileBounds::group(std::uint32_t filters) {
  GroupCost& cost = costs_[filters];
  if (cost.load != 0) {
    return cost;
  }
  sequence_.for_sets(filters, [&](const dla_filter_set& set, std::uint64_t times) {
    cost.bytes += times * dla_set_bytes(&set);
    cost.load += times * load_run_cycles(dla_set_bytes(&set) / layer_.machine.bus_bytes);
  });
  if (layer_.shape.residual && !layer_.shape.residual_on_chip) {
    for (const dla_piece& tile : pieces_of(layer_, kDlaRowTiles).sizes) {
      cost.residual_load +=
          tile.count == 0 ? 0 : tile.count * price_group(layer_, last_fold(tile.size), filters).residual_load;
    }
  }
  return cost;
}

/// From the last product of a last group of so many filters to DONE.
std::uint64_t FilterTileBounds::end(std::uint32_t filters) {
  std::uint64_t& cycles = ends_[filters];
  if (cycles == 0) {
    const std::uint32_t last_rows =
        layer_.passes.E - (layer_.passes.e_tiles - 1) * dla_row_step(&layer_.shape, tiles_.e_glb);
    const FilterGroup last = price_group(layer_, last_fold(last_rows), filters);
    cycles = last.output.latency + last.output.store + last_response_cycles(layer_.shape);
  }
  return cycles;
}

/// From the ifmap in the GLB until the first pass of a first group of so many filters begins.
std::uint64_t FilterTileBounds::begin(std::uint32_t filters) {
  std::uint64_t& cycles = begins_[filters];
  if (cycles == 0) {
    const dla_filter_set set = sequence_.first_set(filters);
    const dla_lengths lengths = sequence_.first_lengths(filters);
    const std::uint64_t feed = dla_set_words(&set) + kFeedTurnCycles;
    cycles = dla_window_cycles(&lengths);
    if (!layer_.shape.filters_on_chip) {
      // The first load's request is hidden by the ifmap's.
      const std::uint64_t request = layer_.shape.ifmap_on_chip ? kRequestCycles + kTokenCycles : 0;
      const std::uint64_t load = kDlaLoadJobCycles + load_run_cycles(dla_set_bytes(&set) / layer_.machine.bus_bytes);
      cycles = std::max(cycles, request + load + feed);
    } else if (layer_.shape.ifmap_on_chip) {
      cycles = std::max(cycles, feed);
    }
  }
  return cycles;
}

/// The tiles' bound, but at least so many cycles of the array's part.
Figures FilterTileBounds::at_least(std::uint64_t array_cycles) const {
  Figures figures = bound_.figures;
  figures.array_cycles = std::max(figures.array_cycles, array_cycles);
  figures.cycles = std::max(figures.cycles, figures.array_cycles);
  return figures;
}

Figures FilterTileBounds::of_first(std::uint32_t filters) {
  return at_least(first_fed_ + begin(filters) + bound_.from_begin);
}

Figures FilterTileBounds::of_groups(std::uint32_t m) {
  return at_least(first_fed_ + begin(std::min(m, most_)) + sequence_.least_cycles(m) + bound_.end);
}

/// From the ifmap in the GLB to the last product.
std::uint64_t FilterTileBounds::cycles(std::uint32_t m) {
  std::uint64_t& cycles = cycles_[m];
  if (cycles == 0) {
    cycles = begin(std::min(m, most_)) + sequence_.cycles(m);
  }
  return cycles;
}

Figures FilterTileBounds::of_passes(std::uint32_t m) { return at_least(first_fed_ + cycles(m) + bound_.end); }

Figures FilterTileBounds::of(std::uint32_t m) {
  const std::uint32_t M = layer_.shape.M;
  const std::uint64_t turns = dla_group_turns(&layer_.shape, &tiles_);
  std::uint64_t bytes = 0, load = 0, residual_load = 0;
  for (const dla_piece& piece : dla_cut({M, m, most_, 0}).sizes) {
    if (piece.count != 0) {
      const GroupCost& cost = group(piece.size);
      const std::uint64_t count = turns * piece.count;
      bytes += count * cost.bytes;
      load += count * cost.load;
      residual_load += count * cost.residual_load;
    }
  }
  // The first row tile loads all filters, each other one those that have not stayed.
  const std::uint64_t later_tiles = layer_.passes.e_tiles - 1, stay = later_tiles == 0 ? 0 : most_staying(m);
  bytes += later_tiles * excess(bytes, stay * layer_.passes.filter_chunk_bytes);
  load += later_tiles * excess(load, stay * chunk_load_);
  if (layer_.shape.filters_on_chip) {
    bytes = load = 0;
  }
  const std::uint32_t last_tile = M % m == 0 ? m : M % m;
  const std::uint64_t loads = tiles_.ifmap_resident ? 1 : ceil_div(M, m);
  const std::uint64_t read = loads * turns * ifmap_load_ + load + residual_load;
  const std::uint64_t last_end = end(last_tile % most_ == 0 ? most_ : last_tile % most_);
  const std::uint64_t written = layer_.dram_bytes.ofmap;
  Figures figures = at_least(first_fed_ + cycles(m) + last_end);
  figures.cycles = std::max(figures.cycles, first_asked_ + read);
  figures.dram_bytes = std::max(figures.dram_bytes, loads * ifmap_bytes_ + bytes + written);
  return figures;
}

}  // namespace fovea
