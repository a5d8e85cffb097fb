// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a chunk of channels takes: groups of filters, whole ones and a remainder, over the folds of filter rows.
#include "chunk_cost.h"

#include <algorithm>
#include <numeric>

namespace fovea {
namespace {

std::uint64_t excess(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// Passes that the sequencer may be ahead of the array: the queue, and the one it is working on.
constexpr std::uint64_t kPassesAhead = 5;

/// Some filter rows of a chunk.
struct Fold {
  std::uint32_t rows;
  bool first, last;               ///< Of all passes on the tile's psums.
  bool begins_chunk, ends_chunk;  ///< Of its chunk's folds.
  std::uint32_t next_rows;        ///< Of the chunk's next fold, if there is one.
};

/// The passes of p*t filters on one fold: all row strips of the tile. Cycles.
struct Group {
  std::uint64_t count = 0;  ///< Such groups in a fold.
  std::uint32_t filters = 0;
  std::uint32_t sets = 0;  ///< In use of the mapping's t.
  CyclesByCause array;
  OutputCost output;
  std::uint64_t strips = 0;
  std::uint64_t load = 0, feed = 0;  ///< Of the filters, from DRAM and from the GLB.
  std::uint64_t fill = 0;            ///< Of the first window.
  std::uint64_t last_column = 0;
};

/// Adds `count` strips of e rows to the group.
void add_strips(const MappedLayer& layer, const Fold& fold, const dla_filter_chunk& set, std::uint32_t e,
                std::uint32_t count, Group& group) {
  if (count == 0) {
    return;
  }
  const PassTiming timing(layer.machine, layer.shape, layer.passes, layer.mapping,
                          {e, fold.rows, set.t, set.p, set.r, set.q});
  const CyclesByCause pass = timing.pass(!fold.first);
  add(group.array, pass, count);
  group.strips += count;
  group.last_column = timing.last_column_cycles(!fold.first);
  group.fill = group.fill == 0 ? timing.fill_words() + 1 : group.fill;
  if (fold.last) {
    const std::uint32_t rows = layer.shape.pool ? e / 2 : e;
    const std::uint64_t store = store_tile_cycles(layer.machine, set.filters, rows, layer.passes.ofmap_cols);
    const OutputCost one = OutputCost::one_pass(pass.total(), store, timing.tile_latency_cycles());
    group.output = group.output.followed_by(one.repeated(count));
  }
}

/// The filters of one group.
dla_filter_chunk filter_set(const MappedLayer& layer, const Chunk& chunk, std::uint32_t filters, std::uint32_t rows,
                            bool has_bias) {
  dla_filter_chunk set{};
  set.filters = filters;
  set.channels = chunk.channels;
  set.rows = rows;
  set.has_bias = has_bias;
  dla_split_chunk(&layer.mapping, &set);
  return set;
}

std::uint64_t set_words(const MappedLayer& layer, const dla_filter_chunk& set) {
  return dla_filter_chunk_bytes(&layer.machine, &layer.shape, &set) / layer.machine.bus_bytes;
}

/// A set after another: its words, and from one to the next.
std::uint64_t feed_cycles(std::uint64_t words) { return words + 2; }

Group price_group(const MappedLayer& layer, const Chunk& chunk, const Fold& fold, std::uint32_t filters,
                  std::uint32_t count) {
  Group group;
  group.count = count;
  group.filters = filters;
  if (count == 0) {
    return group;
  }
  const dla_filter_chunk set = filter_set(layer, chunk, filters, fold.rows, fold.first);
  const std::uint64_t words = set_words(layer, set);
  group.sets = set.t;
  group.load = 1 + load_run_cycles(words);
  group.feed = feed_cycles(words);
  const std::uint32_t e = layer.mapping.e;
  add_strips(layer, fold, set, e, chunk.rows / e, group);
  add_strips(layer, fold, set, chunk.rows % e, chunk.rows % e != 0, group);
  return group;
}

/// From a free filter buffer until it is free again.
std::uint64_t buffer_turn(const Group& group) { return kRequestCycles + group.load + kTokenCycles + group.feed; }

/// Adds `count` groups, each followed by one whose filters are fed in `feed` cycles.
void add_groups(const Group& group, std::uint64_t feed, std::uint64_t count, CyclesByCause& sum) {
  const std::uint64_t array = group.array.total();
  const std::uint64_t sequenced = group.sets + 5 + 7 * group.strips;
  CyclesByCause cycles = group.array;
  cycles.filter += excess(feed, array);
  cycles.control += excess(sequenced, std::max(array, feed));
  add(sum, cycles, count);
}

/// Cycles that the buffers for filters, or the passes that the sequencer is ahead, allow for the groups of a fold.
std::uint64_t turn_cycles(const Group& whole, const Group& rest, std::uint32_t buffers) {
  const Group& first = whole.count != 0 ? whole : rest;
  // If the number of groups and that of buffers have a divisor, some buffers see whole groups only.
  const bool shares = whole.count == 0 || std::gcd(whole.count + rest.count, buffers) == 1;
  const std::uint64_t turns = whole.count * buffer_turn(whole) + rest.count * buffer_turn(shares ? rest : whole);
  const std::uint64_t few_buffers = turns / buffers;
  if (first.strips <= kPassesAhead) {
    return std::max(few_buffers, turns * first.strips / kPassesAhead);
  }
  const std::uint64_t array = whole.count * whole.array.total() + rest.count * rest.array.total();
  return std::max(few_buffers, array - array * kPassesAhead / first.strips + turns);
}

void add_fold(const MappedLayer& layer, const Chunk& chunk, const Fold& fold, ChunkCost& cost) {
  const std::uint32_t buffers = layer.mapping.filter_buffers, pass_filters = layer.mapping.p * layer.mapping.t;
  const std::uint32_t remainder = chunk.filters % pass_filters;
  const Group whole = price_group(layer, chunk, fold, pass_filters, chunk.filters / pass_filters);
  const Group rest = price_group(layer, chunk, fold, remainder, remainder != 0);
  const Group& first = whole.count != 0 ? whole : rest;
  const Group& last = rest.count != 0 ? rest : whole;
  if (fold.begins_chunk) {
    cost.first_load = first.load;
    cost.first_feed = first.feed;
    cost.first_fill = first.fill;
  }
  CyclesByCause cycles;
  if (whole.count != 0) {
    add_groups(whole, whole.feed, whole.count - 1, cycles);
  }
  if (whole.count != 0 && rest.count != 0) {
    add_groups(whole, rest.feed, 1, cycles);
  }
  const std::uint64_t next_feed =
      fold.ends_chunk ? 0
                      : feed_cycles(set_words(layer, filter_set(layer, chunk, first.filters, fold.next_rows, false)));
  add_groups(last, next_feed, 1, cycles);
  const std::uint64_t last_wait = fold.ends_chunk ? excess(cost.first_feed, last.array.total()) : 0;
  const std::uint64_t late = excess(turn_cycles(whole, rest, buffers), cycles.total() + last_wait);
  cycles.dram += late;
  add(cost.array, cycles);
  cost.cycles += cycles.total();
  cost.output = whole.output.repeated(whole.count).followed_by(rest.output).spread_over(cycles.total());
  cost.filter_load += whole.count * whole.load + rest.count * rest.load;
  const std::uint64_t groups = whole.count + rest.count, period = (cycles.total() + last_wait) / groups;
  cost.last_group = last.array.total();
  // When the last pass has done with the ifmap, the array may still wait for a buffer.
  cost.last_column = last.last_column + late / groups;
  const std::uint64_t queued = period * kPassesAhead / first.strips;
  const std::uint64_t free = last.array.total() + (buffers - 1) * period + excess(period, first.feed);
  // The wait for a buffer is in the chunk's cycles already.
  const std::uint64_t turn = kRequestCycles + cost.first_load + kTokenCycles + cost.first_feed;
  cost.asks_filter = std::min(queued, late != 0 ? std::max(free, turn) : free);
  cost.asks_ifmap = std::min(queued, free + period);
}

/// Cycles to load the rows of one channel of a tile of output rows, of an inner tile.
std::uint64_t ifmap_run_cycles(const MappedLayer& layer, std::uint32_t rows) {
  const dla_shape& s = layer.shape;
  const std::uint32_t bus = layer.machine.bus_bytes;
  const std::uint32_t bytes = std::min(s.H, (rows - 1) * s.U + s.R) * s.W;
  const bool aligned =
      s.H * s.W % bus == 0 && (layer.passes.e_tiles == 1 || layer.mapping.e_glb * s.U * s.W % bus == 0);
  return load_run_cycles((bytes + bus - 1 + (aligned ? 0 : bus / 2)) / bus);
}

}  // namespace

MappedLayer::MappedLayer(const dla_machine& of_machine, const dla_shape& of_shape, const dla_mapping& of_mapping)
    : machine(of_machine),
      shape(of_shape),
      mapping(of_mapping),
      passes(dla_derive_passes(&machine, &shape, &mapping)),
      dram_bytes(count_dram_bytes(machine, shape, mapping, passes)) {}

ChunkCost price_chunk(const MappedLayer& layer, const Chunk& chunk) {
  ChunkCost cost;
  cost.ifmap_load = 1 + chunk.channels * ifmap_run_cycles(layer, chunk.rows);
  const std::uint32_t fold_rows = layer.passes.fold_rows;
  const auto rows_from = [&](std::uint32_t row) { return std::min(fold_rows, layer.shape.R - row); };
  for (std::uint32_t row = 0; row < layer.shape.R; row += fold_rows) {
    const bool begins = row == 0, ends = row + fold_rows >= layer.shape.R;
    add_fold(layer, chunk,
             {rows_from(row), chunk.first && begins, chunk.last && ends, begins, ends,
              ends ? 0 : rows_from(row + fold_rows)},
             cost);
  }
  return cost;
}

}  // namespace fovea
