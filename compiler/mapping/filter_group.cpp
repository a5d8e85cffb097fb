// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the passes of one group of p*t filters take.
#include "filter_group.h"

namespace fovea {
namespace {

/// Adds `count` strips of e rows to the group.
void add_strips(const MappedLayer& layer, const Fold& fold, const dla_filter_chunk& set, std::uint32_t e,
                std::uint32_t count, FilterGroup& group) {
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

dla_filter_chunk filter_set(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
  dla_filter_chunk set{};
  set.filters = filters;
  set.channels = fold.channels;
  set.rows = fold.rows;
  set.has_bias = fold.first;
  dla_split_chunk(&layer.mapping, &set);
  return set;
}

std::uint64_t set_words(const MappedLayer& layer, const dla_filter_chunk& set) {
  return dla_filter_chunk_bytes(&layer.machine, &layer.shape, &set) / layer.machine.bus_bytes;
}

/// Its words, one a cycle, and the change of halves.
std::uint64_t feed_cycles(std::uint64_t words) { return words + kFeedTurnCycles; }

}  // namespace

MappedLayer::MappedLayer(const dla_machine& of_machine, const dla_shape& of_shape, const dla_mapping& of_mapping)
    : machine(of_machine),
      shape(of_shape),
      mapping(of_mapping),
      passes(dla_derive_passes(&machine, &shape, &mapping)),
      dram_bytes(count_dram_bytes(machine, shape, mapping, passes)) {}

FilterGroup price_group(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
  const dla_filter_chunk set = filter_set(layer, fold, filters);
  const std::uint64_t words = set_words(layer, set);
  const std::uint32_t e = layer.mapping.e;
  FilterGroup group;
  group.filters = filters;
  add_strips(layer, fold, set, e, fold.tile_rows / e, group);
  add_strips(layer, fold, set, fold.tile_rows % e, fold.tile_rows % e != 0, group);
  group.sequencer = sequencer_cycles(set.t, group.strips);
  group.bytes = words * layer.machine.bus_bytes;
  group.load = 1 + load_run_cycles(words);
  group.feed = feed_cycles(words);
  return group;
}

std::uint64_t feed_cycles(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
  return feed_cycles(set_words(layer, filter_set(layer, fold, filters)));
}

}  // namespace fovea
