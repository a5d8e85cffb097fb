// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes by the formulas of docs/timing.md, without what delays them.
#include "filter_tile_bounds.h"

#include <algorithm>

#include "cost_model.h"
#include "pieces.h"

namespace fovea {

FilterTileBounds::FilterTileBounds(const dla_machine& machine, const dla_shape& shape, const dla_mapping& tiles,
                                   const Bound& bound)
    : machine_(machine),
      shape_(shape),
      tiles_(tiles),
      bound_(bound.figures),
      passes_(dla_derive_passes(&machine, &shape, &tiles)),
      ifmap_bytes_(0),
      costs_(std::min(tiles.p * tiles.t, shape.M) + 1) {
  dla_mapping once = tiles;
  once.ifmap_resident = true;
  ifmap_bytes_ = count_dram_bytes(machine, shape, once, passes_).ifmap;
}

std::uint64_t FilterTileBounds::pass_cycles(const dla_filter_chunk& chunk, std::uint32_t e) const {
  const PassTiming pass(machine_, shape_, passes_, tiles_, {e, chunk.rows, chunk.t, chunk.p, chunk.r, chunk.q});
  return (passes_.F - 1) * std::max(pass.column_cycles(), pass.step_words()) + pass.column_cycles();
}

const FilterTileBounds::GroupCost& FilterTileBounds::group(std::uint32_t filters) {
  GroupCost& cost = costs_[filters];
  if (cost.cycles != 0) {
    return cost;
  }
  dla_filter_chunk chunk{};
  chunk.filters = filters;
  for (const Pieces& channels : cut(shape_.C, tiles_.q * tiles_.r)) {
    for (const Pieces& fold : cut(shape_.R, passes_.fold_rows)) {
      if (channels.count * fold.count == 0) {
        continue;
      }
      chunk.channels = channels.size;
      chunk.rows = fold.size;
      dla_split_chunk(&tiles_, &chunk);
      const std::uint64_t alike = channels.count * fold.count;
      const std::uint64_t bytes = dla_filter_chunk_bytes(&machine_, &shape_, &chunk);
      cost.bytes += alike * bytes;
      cost.load += alike * load_run_cycles(bytes / machine_.bus_bytes);
      for (const Pieces& strip : cut_in_tiles(passes_.E, tiles_.e_glb, tiles_.e)) {
        cost.cycles += strip.count == 0 ? 0 : alike * strip.count * pass_cycles(chunk, strip.size);
      }
    }
  }
  cost.bytes += std::uint64_t{4} * filters;
  return cost;
}

Figures FilterTileBounds::of(std::uint32_t m) {
  std::uint64_t cycles = 0, filter_bytes = 0, filter_load = 0;
  for (const Pieces& piece : cut_in_tiles(shape_.M, m, tiles_.p * tiles_.t)) {
    if (piece.count != 0) {
      const GroupCost& cost = group(piece.size);
      cycles += piece.count * cost.cycles;
      filter_bytes += piece.count * cost.bytes;
      filter_load += piece.count * cost.load;
    }
  }
  const std::uint64_t loads = tiles_.ifmap_resident ? 1 : (shape_.M + m - 1) / m;
  const std::uint64_t read = loads * ifmap_bytes_ + passes_.e_tiles * filter_bytes;
  const std::uint64_t ifmap_words = loads * ifmap_bytes_ / machine_.bus_bytes;
  const std::uint64_t load =
      least_load_cycles(loads * passes_.e_tiles * shape_.C, ifmap_words) + passes_.e_tiles * filter_load;
  const std::uint64_t written = std::uint64_t{shape_.M} * passes_.ofmap_rows * passes_.ofmap_cols;
  Figures figures = bound_;
  figures.cycles = std::max(figures.cycles, start_cycles(machine_) + kRequestCycles + std::max(cycles, load));
  figures.dram_bytes = std::max(figures.dram_bytes, read + written);
  return figures;
}

}  // namespace fovea
