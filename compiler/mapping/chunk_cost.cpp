// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a chunk of channels takes: groups of filters, whole ones and a remainder, over the folds of filter rows.
#include "chunk_cost.h"

#include <algorithm>
#include <numeric>

namespace fovea {
namespace {

/// Passes that the sequencer may be ahead of the array: the queue, and the one it is working on.
constexpr std::uint64_t kPassesAhead = kDlaQueueEntries + 1;

/// The groups of a fold: `wholes` times `whole`, then perhaps a smaller one.
struct Groups {
  Groups(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
    const std::uint32_t most = layer.mapping.p * layer.mapping.t;
    wholes = filters / most;
    has_rest = filters % most != 0;
    if (wholes != 0) {
      whole = price_group(layer, fold, most);
    }
    if (has_rest) {
      rest = price_group(layer, fold, filters % most);
    }
  }

  std::uint64_t count() const { return wholes + has_rest; }
  const FilterGroup& first() const { return wholes != 0 ? whole : rest; }
  const FilterGroup& last() const { return has_rest ? rest : whole; }

  FilterGroup whole, rest;
  std::uint64_t wholes;
  bool has_rest;
};

/// Adds `count` groups, each followed by one whose filters are fed in `feed` cycles.
void add_groups(const FilterGroup& group, std::uint64_t feed, std::uint64_t count, CyclesByCause& sum) {
  const std::uint64_t array = group.array.total();
  CyclesByCause cycles = group.array;
  cycles.filter += excess(feed, array);
  cycles.control += excess(group.sequencer, std::max(array, feed));
  add(sum, cycles, count);
}

/// The groups one after another; after the last come filters that are fed in `next_feed` cycles.
CyclesByCause add_up(const Groups& groups, std::uint64_t next_feed) {
  CyclesByCause cycles;
  if (groups.wholes != 0) {
    add_groups(groups.whole, groups.whole.feed, groups.wholes - 1, cycles);
  }
  if (groups.wholes != 0 && groups.has_rest) {
    add_groups(groups.whole, groups.rest.feed, 1, cycles);
  }
  add_groups(groups.last(), next_feed, 1, cycles);
  return cycles;
}

/// Buffers that filters take turns on.
std::uint32_t turn_buffers(const MappedLayer& layer) {
  const dla_mapping& m = layer.mapping;
  return layer.filters_fit ? m.filter_buffers : m.filter_buffers - m.stay;
}

/// Cycles that the groups need at least because filter buffers are few, or the sequencer is but some passes ahead.
std::uint64_t turn_cycles(const Groups& groups, std::uint32_t buffers) {
  std::uint64_t turns = groups.wholes * groups.whole.buffer_turn();
  if (groups.has_rest) {
    // If the number of groups and that of buffers have a divisor, some buffers see whole groups only.
    const auto count = static_cast<std::uint32_t>(groups.count());
    const bool shares = groups.wholes == 0 || std::gcd(count, buffers) == 1;
    turns += (shares ? groups.rest : groups.whole).buffer_turn();
  }
  const std::uint64_t strips = groups.first().strips;
  if (strips <= kPassesAhead) {
    return std::max(turns / buffers, turns * strips / kPassesAhead);
  }
  const std::uint64_t array =
      groups.wholes * groups.whole.array.total() + (groups.has_rest ? groups.rest.array.total() : 0);
  return std::max(turns / buffers, array - array * kPassesAhead / strips + turns);
}

/// Sets from when on the next chunk may ask for its loads. \param period  From one group to the next.
void set_asks(const Groups& groups, std::uint32_t buffers, std::uint64_t period, bool buffers_are_late,
              ChunkCost& cost) {
  const std::uint64_t queued = period * kPassesAhead / groups.first().strips;
  std::uint64_t free = groups.last().array.total() + (buffers - 1) * period + excess(period, groups.first().feed);
  cost.asks_ifmap = std::min(queued, free + period);
  if (buffers_are_late) {
    // The wait for a buffer is in the chunk's cycles already.
    free = std::max(free, kRequestCycles + cost.first_load + kTokenCycles + cost.first_feed);
  }
  cost.asks_filter = std::min(queued, free);
}

/// What is left of `cycles` that all sets take, where `staying` of them take none.
std::uint64_t of_others(std::uint64_t cycles, std::uint64_t staying, std::uint64_t sets) {
  return cycles - cycles * std::min(staying, sets) / sets;
}

/// \param next_feed  Of the chunk's next fold; 0 where it is the last.
/// \param staying    Of its sets.
void add_fold(const MappedLayer& layer, const Groups& groups, std::uint64_t next_feed, std::uint64_t staying,
              ChunkCost& cost) {
  const std::uint32_t buffers = turn_buffers(layer);
  const FilterGroup& last = groups.last();
  CyclesByCause cycles = add_up(groups, next_feed);
  const std::uint64_t last_wait = next_feed == 0 ? excess(cost.first_feed, last.array.total()) : 0;
  const std::uint64_t turns = of_others(turn_cycles(groups, buffers), staying, groups.count());
  const std::uint64_t late = excess(turns, cycles.total() + last_wait);
  cycles.dram += late;
  add(cost.array, cycles);
  cost.cycles += cycles.total();
  const std::uint64_t load = groups.wholes * groups.whole.load + (groups.has_rest ? groups.rest.load : 0);
  cost.filter_load += of_others(load, staying, groups.count());
  cost.filter_load += groups.wholes * groups.whole.residual_load + (groups.has_rest ? groups.rest.residual_load : 0);
  cost.output = groups.whole.output.repeated(groups.wholes).followed_by(groups.rest.output).spread_over(cycles.total());
  const std::uint64_t count = groups.count();
  cost.last_group = last.array.total();
  // When the last pass has done with the ifmap, the array may still wait for a buffer.
  cost.last_column = last.last_column + late / count;
  set_asks(groups, buffers, (cycles.total() + last_wait) / count, late != 0, cost);
}

/// Cycles to load the rows of one channel of a tile of output rows, of an inner tile.
std::uint64_t ifmap_run_cycles(const MappedLayer& layer, std::uint32_t rows) {
  const dla_shape& s = layer.shape;
  const std::uint32_t bus = layer.machine.bus_bytes;
  const std::uint32_t bytes = std::min(s.H, (rows - 1) * s.U + s.R) * s.W;
  const bool aligned = s.H * s.W % bus == 0 &&
                       (layer.passes.e_tiles == 1 || dla_row_step(&s, layer.mapping.e_glb) * s.U * s.W % bus == 0);
  return load_run_cycles((bytes + bus - 1 + (aligned ? 0 : bus / 2)) / bus);
}

}  // namespace

std::uint64_t ifmap_load_cycles(const MappedLayer& layer, std::uint32_t channels, std::uint32_t rows) {
  return kDlaLoadJobCycles + channels * ifmap_run_cycles(layer, rows);
}

std::uint64_t sets_of_chunk(const MappedLayer& layer, std::uint32_t filters) {
  return std::uint64_t{layer.passes.folds} * dla_ceil_div(filters, layer.mapping.p * layer.mapping.t);
}

ChunkCost price_chunk(const MappedLayer& layer, const Chunk& chunk) {
  const std::uint32_t R = layer.shape.R, fold_rows = layer.passes.fold_rows;
  ChunkCost cost;
  cost.ifmap_load = ifmap_load_cycles(layer, chunk.channels, chunk.rows);
  const auto fold_at = [&](std::uint32_t row) -> Fold {
    return {chunk.rows, chunk.channels, std::min(fold_rows, R - row), chunk.first && row == 0,
            chunk.last && row + fold_rows >= R};
  };
  std::uint64_t staying = chunk.staying;
  for (std::uint32_t row = 0; row < R; row += fold_rows) {
    const Groups groups(layer, fold_at(row), chunk.filters);
    const FilterGroup& first = groups.first();
    if (row == 0) {
      cost.first_load = staying == 0 ? first.load : 0;
      cost.first_feed = first.feed;
      cost.first_fill = first.fill;
    }
    const bool ends = row + fold_rows >= R;
    add_fold(layer, groups, ends ? 0 : feed_cycles(layer, fold_at(row + fold_rows), first.filters), staying, cost);
    staying = excess(staying, groups.count());
  }
  return cost;
}

}  // namespace fovea
