// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model: walks a layer's loops down to chunks of channels, each kind of chunk priced once.
#include "cost_model.h"

#include <algorithm>

#include "chunk_cost.h"
#include "layer_timeline.h"
#include "layer_walk.h"

namespace fovea {
namespace {

/// Of the sequencer until it asks for the first load: the beginning of each loop around it, and the push.
constexpr std::uint64_t kFirstLoadSteps = kDlaRowTileSteps + kDlaFilterTileSteps + kDlaChunkSteps + kDlaPushSteps;

/// The chunks of a tile: the first, those between, and the last, or the only one.
struct TileCost {
  ChunkCost first, middle, last;
};

TileCost price_tile(const MappedLayer& layer, std::uint32_t filters, std::uint32_t rows) {
  const std::uint32_t chunks = layer.passes.c_chunks, channels = layer.mapping.q * layer.mapping.r;
  const std::uint32_t last_channels =
      layer.mapping.g == 0 ? layer.shape.C - (chunks - 1) * channels : filters / layer.shape.M * layer.shape.C;
  TileCost tile;
  tile.last = price_chunk(layer, {filters, rows, last_channels, chunks == 1, true});
  if (chunks > 1) {
    tile.first = price_chunk(layer, {filters, rows, channels, true, false});
  }
  if (chunks > 2) {
    tile.middle = price_chunk(layer, {filters, rows, channels, false, false});
  }
  return tile;
}

void run_tile(const MappedLayer& layer, const TileCost& tile, bool loads_ifmap, LayerTimeline& timeline) {
  const std::uint32_t chunks = layer.passes.c_chunks;
  if (chunks > 1) {
    timeline.run(tile.first, loads_ifmap);
  }
  if (chunks > 2) {
    timeline.repeat(chunks - 2, [&] { timeline.run(tile.middle, loads_ifmap); });
  }
  timeline.run(tile.last, loads_ifmap);
}

/// `count` times all filters on a tile of `rows` rows. The ifmap is loaded with the first of a group, or with each.
void run_row_tiles(const MappedLayer& layer, std::uint32_t rows, std::uint64_t count, LayerTimeline& timeline) {
  const std::uint32_t M = dla_tiled_filters(&layer.shape, &layer.mapping);
  const std::uint32_t m = std::min(layer.mapping.m, M), rest = M % m;
  const std::uint64_t more_tiles = M / m - 1, turns = dla_group_turns(&layer.shape, &layer.mapping);
  const bool streams = !layer.mapping.ifmap_resident;
  const TileCost whole = price_tile(layer, m, rows);
  const TileCost last = rest != 0 ? price_tile(layer, rest, rows) : TileCost{};
  timeline.repeat(count * turns, [&] {
    run_tile(layer, whole, true, timeline);
    timeline.repeat(more_tiles, [&] { run_tile(layer, whole, streams, timeline); });
    if (rest != 0) {
      run_tile(layer, last, streams, timeline);
    }
  });
}

}  // namespace

std::uint64_t start_cycles(const dla_machine& machine) {
  return kDlaSetupCycles + dla_start_cycles(&machine) + kFirstLoadSteps;
}

LayerCost price_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const MappedLayer layer(machine, shape, mapping);
  LayerTimeline timeline(layer, start_cycles(machine));
  const std::uint32_t E = layer.passes.E;
  if (E >= mapping.e_glb) {
    run_row_tiles(layer, mapping.e_glb, E / mapping.e_glb, timeline);
  }
  if (E % mapping.e_glb != 0) {
    run_row_tiles(layer, E % mapping.e_glb, 1, timeline);
  }
  LayerCost cost;
  cost.causes = timeline.finish();
  cost.cycles = cost.causes.total();
  cost.dram_bytes = layer.dram_bytes;
  return cost;
}

LayerCost predict_layer(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                        const DramPreset& dram) {
  LayerCost cost;
  cost.causes = walk_layer(machine, shape, mapping, dram);
  cost.cycles = cost.causes.total();
  cost.dram_bytes = MappedLayer(machine, shape, mapping).dram_bytes;
  return cost;
}

}  // namespace fovea
