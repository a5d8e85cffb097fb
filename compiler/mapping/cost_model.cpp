// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model: walks a layer's loops down to chunks of channels, each kind of chunk priced once.
#include "cost_model.h"

#include <algorithm>
#include <optional>

#include "chunk_cost.h"
#include "layer_timeline.h"
#include "layer_walk.h"
#include "spec/dla_schedule.h"

namespace fovea {
namespace {

/// Of the sequencer until it asks for the first load: the beginning of each loop around it, and the push.
constexpr std::uint64_t kFirstLoadSteps = kDlaRowTileSteps + kDlaFilterTileSteps + kDlaChunkSteps + kDlaPushSteps;

/// The chunks of a tile of filters and rows: the first, those between, and the last, or the only one.
struct ChunkCosts {
  ChunkCost first, middle, last;
};

/// A tile, its filters loaded, and where they are in the GLB already.
class Tile {
 public:
  Tile(const MappedLayer& layer, std::uint32_t filters, std::uint32_t rows)
      : layer_(layer), filters_(filters), rows_(rows), sets_of_chunk_(fovea::sets_of_chunk(layer, filters)) {
    loaded_ = price(0);
    if (layer.staying_chunks != 0) {
      there_ = price(sets_of_chunk_);
    }
  }

  std::uint64_t sets() const { return sets_of_chunk_ * layer_.passes.c_chunks; }

  /// \param staying  Of its sets, the first so many are in the GLB.
  void run(bool loads_ifmap, std::uint64_t staying, LayerTimeline& timeline) const {
    if (staying == 0 || staying >= sets()) {
      run_chunks(staying == 0 ? loaded_ : there_, 0, layer_.passes.c_chunks, loads_ifmap, timeline);
      return;
    }
    const std::uint64_t there = staying / sets_of_chunk_, some = staying % sets_of_chunk_;
    run_chunks(there_, 0, there, loads_ifmap, timeline);
    if (some != 0) {
      run_chunks(price(some), there, there + 1, loads_ifmap, timeline);
    }
    run_chunks(loaded_, there + (some != 0 ? 1 : 0), layer_.passes.c_chunks, loads_ifmap, timeline);
  }

 private:
  /// Where of each chunk so many sets are in the GLB.
  ChunkCosts price(std::uint64_t staying) const {
    const std::uint32_t chunks = layer_.passes.c_chunks, channels = layer_.mapping.q * layer_.mapping.r;
    const std::uint32_t last_channels =
        layer_.mapping.g == 0 ? layer_.shape.C - (chunks - 1) * channels : filters_ / layer_.shape.M * layer_.shape.C;
    ChunkCosts costs;
    costs.last = price_chunk(layer_, {filters_, rows_, last_channels, chunks == 1, true, staying});
    if (chunks > 1) {
      costs.first = price_chunk(layer_, {filters_, rows_, channels, true, false, staying});
    }
    if (chunks > 2) {
      costs.middle = price_chunk(layer_, {filters_, rows_, channels, false, false, staying});
    }
    return costs;
  }

  /// Chunks number `from` to `to` - 1.
  void run_chunks(const ChunkCosts& costs, std::uint64_t from, std::uint64_t to, bool loads_ifmap,
                  LayerTimeline& timeline) const {
    const std::uint64_t last = layer_.passes.c_chunks - 1, first = from == 0 && last != 0 ? 1 : 0;
    if (from == to) {
      return;
    }
    if (first != 0) {
      timeline.run(costs.first, loads_ifmap);
    }
    timeline.repeat(std::min(to, last) - (from + first), [&] { timeline.run(costs.middle, loads_ifmap); });
    if (to == last + 1) {
      timeline.run(costs.last, loads_ifmap);
    }
  }

  const MappedLayer& layer_;
  std::uint32_t filters_, rows_;
  std::uint64_t sets_of_chunk_;
  ChunkCosts loaded_, there_;
};

/// All filters on tiles of so many rows.
class RowTile {
 public:
  RowTile(const MappedLayer& layer, std::uint32_t rows)
      : layer_(layer),
        filters_(dla_tiled_filters(&layer.shape, &layer.mapping)),
        turns_(dla_group_turns(&layer.shape, &layer.mapping)),
        whole_(layer, std::min(layer.mapping.m, filters_), rows),
        wholes_(filters_ / std::min(layer.mapping.m, filters_)) {
    if (const std::uint32_t rest = filters_ % std::min(layer.mapping.m, filters_); rest != 0) {
      rest_.emplace(layer, rest, rows);
    }
  }

  /// `count` of them one after another. \param staying  Filter sets that each finds in the GLB.
  void run(std::uint64_t count, std::uint64_t staying, LayerTimeline& timeline) const {
    if (staying == 0) {
      timeline.repeat(count * turns_, [&] { run_turn(0, timeline); });
      return;
    }
    const std::uint64_t there = std::min(staying / sets_of_turn(), turns_), some = staying - there * sets_of_turn();
    timeline.repeat(count, [&] {
      timeline.repeat(there, [&] { run_turn(sets_of_turn(), timeline); });
      if (there < turns_) {
        run_turn(some, timeline);
        timeline.repeat(turns_ - there - 1, [&] { run_turn(0, timeline); });
      }
    });
  }

 private:
  std::uint64_t sets_of_turn() const { return wholes_ * whole_.sets() + (rest_ ? rest_->sets() : 0); }

  /// All filter tiles of a group. The ifmap is loaded with the first, or with each; on chip, it is there.
  void run_turn(std::uint64_t staying, LayerTimeline& timeline) const {
    const bool loads = !layer_.shape.ifmap_on_chip, streams = loads && !layer_.mapping.ifmap_resident;
    const std::uint64_t there = std::min(staying / whole_.sets(), wholes_), some = staying - there * whole_.sets();
    whole_.run(loads, std::min(staying, whole_.sets()), timeline);
    timeline.repeat(excess(there, 1), [&] { whole_.run(streams, whole_.sets(), timeline); });
    std::uint64_t done = std::max<std::uint64_t>(there, 1);
    if (there != 0 && there < wholes_ && some != 0) {
      whole_.run(streams, some, timeline);
      ++done;
    }
    timeline.repeat(wholes_ - done, [&] { whole_.run(streams, 0, timeline); });
    if (rest_) {
      rest_->run(streams, there == wholes_ ? some : 0, timeline);
    }
  }

  const MappedLayer& layer_;
  std::uint32_t filters_;
  std::uint64_t turns_;
  Tile whole_;
  std::uint64_t wholes_;
  std::optional<Tile> rest_;
};

}  // namespace

std::uint64_t start_cycles(const dla_machine& machine) {
  return kDlaSetupCycles + dla_start_cycles(&machine) + kFirstLoadSteps;
}

LayerCost price_mapping(const MappedLayer& layer) {
  const dla_shape& shape = layer.shape;
  LayerTimeline timeline(layer, start_cycles(layer.machine));
  const std::uint64_t stays = layer.staying_chunks;
  std::uint64_t before = 0;  // Row tiles.
  for (const dla_piece& tile : dla_cut(dla_loop_of(&shape, &layer.mapping, &layer.passes, kDlaRowTiles)).sizes) {
    if (tile.count == 0) {
      continue;
    }
    const RowTile rows(layer, tile.size);
    const bool loads_all = before == 0 && !shape.filters_on_chip;
    const std::uint64_t alike = loads_all && stays != 0 ? 1 : tile.count;
    rows.run(alike, loads_all ? 0 : stays, timeline);
    if (tile.count != alike) {
      rows.run(tile.count - alike, stays, timeline);
    }
    before += tile.count;
  }
  LayerCost cost;
  cost.causes = timeline.finish();
  cost.cycles = cost.causes.total();
  cost.dram_bytes = layer.dram_bytes;
  return cost;
}

LayerCost predict_layer(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                        const DramPreset& dram, const FirstBytes& first) {
  LayerCost cost;
  cost.causes = walk_layer(machine, shape, mapping, dram, first);
  cost.cycles = cost.causes.total();
  cost.dram_bytes = count_dram_bytes(machine, shape, mapping, dla_derive_passes(&machine, &shape, &mapping), first);
  return cost;
}

}  // namespace fovea
