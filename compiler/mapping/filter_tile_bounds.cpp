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

FilterTileBounds::FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles,
                                   const Bound& bound)
    : tiles_(tiles),
      layer_(machine, shape, tiles_),
      bound_(bound.figures),
      ifmap_bytes_(layer_.dram_bytes.ifmap / (tiles.ifmap_resident ? 1 : layer_.passes.m_tiles)),
      first_asked_(start_cycles(machine) + kRequestCycles),
      first_load_(ifmap_load_cycles(layer_, std::min(shape.C, tiles.q * tiles.r), tiles.e_glb)),
      chunk_load_(kDlaLoadJobCycles + load_run_cycles(layer_.passes.filter_chunk_bytes / machine.bus_bytes)),
      costs_(std::min(tiles.p * tiles.t, shape.M) + 1) {
  if (layer_.passes.e_tiles == 1) {
    return;  // Nothing stays.
  }
  dla_mapping least = tiles;
  least.m = 1;
  least.filter_buffers = 2;
  dla_glb_plan glb;
  dla_plan_glb(&machine, &shape, &least, &glb);
  room_ = machine.glb_bytes - glb.ifmap.size_bytes - glb.out.size_bytes;
  group_psums_ = dla_derive_passes(&machine, &shape, &least).psum_bytes;
}

/// Filter chunks that the GLB may hold beside the psums of m filters.
std::uint64_t FilterTileBounds::most_staying(std::uint32_t m) const {
  const std::uint64_t psums = dla_ceil_div(m, tiles_.p * tiles_.t) * group_psums_;
  return std::min<std::uint64_t>(excess(room_, psums) / layer_.passes.filter_chunk_bytes,
                                 DLA_MAPPING_FILTER_BUFFERS_MAX);
}

/// Adds what a group takes in `tiles` tiles of `rows` rows.
void FilterTileBounds::add_row_tiles(std::uint32_t filters, std::uint32_t rows, std::uint64_t tiles,
                                     GroupCost& cost) const {
  bool is_first = true;
  for (const dla_piece& channels : pieces_of(layer_, kDlaChunks).sizes) {
    for (const dla_piece& fold_rows : pieces_of(layer_, kDlaFolds).sizes) {
      std::uint64_t alike = channels.count * fold_rows.count;
      while (alike != 0) {
        const FilterGroup group = price_group(layer_, {rows, channels.size, fold_rows.size, is_first, false}, filters);
        const std::uint64_t count = tiles * (is_first ? 1 : alike);
        cost.array += count * std::max(group.array.total(), group.sequencer);
        cost.load += count * (group.load - 1);
        cost.feed += count * group.feed;
        cost.bytes += count * group.bytes;
        if (is_first) {
          cost.fill = group.fill;
          cost.first_load = group.load;
          cost.first_feed = group.feed;
        }
        alike -= is_first ? 1 : alike;
        is_first = false;
      }
    }
  }
  cost.residual_load += tiles * price_group(layer_, last_fold(rows), filters).residual_load;
}

/// Of a row tile.
Fold FilterTileBounds::last_fold(std::uint32_t rows) const {
  const dla_passes& passes = layer_.passes;
  return {rows, layer_.shape.C - (passes.c_chunks - 1) * tiles_.q * tiles_.r,
          layer_.shape.R - (passes.folds - 1) * passes.fold_rows, passes.c_chunks * passes.folds == 1, true};
}

const FilterTileBounds::GroupCost& FilterTileBounds::group(std::uint32_t filters) {
  GroupCost& cost = costs_[filters];
  if (cost.array != 0) {
    return cost;
  }
  const dla_pieces tiles = pieces_of(layer_, kDlaRowTiles);
  for (std::size_t i = std::size(tiles.sizes); i-- > 0;) {  // The first tile's begin stays.
    if (tiles.sizes[i].count != 0) {
      add_row_tiles(filters, tiles.sizes[i].size, tiles.sizes[i].count, cost);
    }
  }
  const std::uint32_t last_rows =
      layer_.passes.E - (layer_.passes.e_tiles - 1) * dla_row_step(&layer_.shape, tiles_.e_glb);
  const FilterGroup last = price_group(layer_, last_fold(last_rows), filters);
  cost.last = last.array.total();
  cost.end = last.output.latency + last.output.store + kLastResponseCycles;
  return cost;
}

Figures FilterTileBounds::of(std::uint32_t m) {
  const std::uint32_t M = layer_.shape.M, most = tiles_.p * tiles_.t;
  const std::uint64_t turns = dla_group_turns(&layer_.shape, &tiles_);
  std::uint64_t array = 0, bytes = 0, load = 0, residual_load = 0, feed = 0;
  for (const dla_piece& piece : dla_cut({M, m, most, 0}).sizes) {
    if (piece.count != 0) {
      const GroupCost& cost = group(piece.size);
      const std::uint64_t count = turns * piece.count;
      array += count * cost.array;
      bytes += count * cost.bytes;
      load += count * cost.load;
      residual_load += count * cost.residual_load;
      feed += count * cost.feed;
    }
  }
  // The first row tile loads all filters, each other one those that have not stayed.
  const std::uint64_t e_tiles = layer_.passes.e_tiles, stay = most_staying(std::min(m, M));
  bytes = bytes / e_tiles + (e_tiles - 1) * excess(bytes / e_tiles, stay * layer_.passes.filter_chunk_bytes);
  load = load / e_tiles + (e_tiles - 1) * excess(load / e_tiles, stay * chunk_load_);
  const std::uint32_t last_tile = M % m == 0 ? m : M % m;
  const GroupCost& last = group(last_tile % most == 0 ? most : last_tile % most);
  const GroupCost& first = group(std::min({M, m, most}));
  const std::uint64_t fed = first_load_ + kTokenCycles;
  const std::uint64_t loads = tiles_.ifmap_resident ? 1 : ceil_div(M, m);
  const std::uint64_t ifmap_words = loads * ifmap_bytes_ / layer_.machine.bus_bytes;
  const std::uint64_t read =
      least_load_cycles(loads * layer_.passes.e_tiles * turns * layer_.shape.C, ifmap_words) + load + residual_load;
  const std::uint64_t array_begin = std::max(first.fill, first.first_load + first.first_feed);
  const std::uint64_t array_end = fed + std::max(array_begin + array, first.first_load + feed + last.last) + last.end;
  const std::uint64_t written = turns * M * layer_.passes.ofmap_plane;
  Figures figures = bound_;
  figures.array_cycles = std::max(figures.array_cycles, first_asked_ + array_end);
  figures.cycles = std::max({figures.cycles, figures.array_cycles, first_asked_ + read});
  figures.dram_bytes = std::max(figures.dram_bytes, loads * ifmap_bytes_ + bytes + written);
  return figures;
}

}  // namespace fovea
