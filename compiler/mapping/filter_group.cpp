// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the passes of one group of p*t filters take.
#include "filter_group.h"

#include <algorithm>

#include "spec/dla_schedule.h"

namespace fovea {
namespace {

/// Adds `count` strips of `set.e` rows to the group.
void add_strips(const MappedLayer& layer, const Fold& fold, const dla_extent& set, std::uint32_t count,
                FilterGroup& group) {
  if (count == 0) {
    return;
  }
  const dla_lengths lengths = dla_pass_lengths(&layer.machine, &layer.shape, &set);
  const std::uint32_t tail = dla_tail_steps(&layer.shape, layer.passes.F);
  const CyclesByCause pass = pass_cycles(layer.passes, lengths, tail, set.p, !fold.first);
  add(group.array, pass, count);
  group.strips += count;
  group.last_column = last_column_cycles(layer.passes, lengths, tail, set.p, !fold.first);
  group.fill = group.fill == 0 ? dla_window_cycles(&lengths) : group.fill;
  if (fold.last) {
    const std::uint32_t rows = dla_pooled(&layer.shape, set.e);
    const std::uint64_t runs = dla_is_one_run(&layer.shape, &layer.passes, rows) ? 1 : set.filters;
    const bool on_chip = layer.shape.ofmap_on_chip;
    const std::uint64_t store =
        layer.shape.mean
            ? mean_tile_cycles(layer.machine, on_chip, set.filters, rows, layer.passes.ofmap_cols)
            : store_tile_cycles(layer.machine, on_chip, runs, set.filters / runs * rows, layer.passes.ofmap_cols);
    if (layer.shape.residual && !layer.shape.residual_on_chip) {
      group.residual_load +=
          count * residual_tile_cycles(layer.machine, runs, set.filters / runs * rows, layer.passes.ofmap_cols);
    }
    const OutputCost one = OutputCost::one_pass(pass.total(), store, dla_tile_cycles(&layer.passes, &lengths));
    group.output = group.output.followed_by(one.repeated(count));
  }
}

dla_filter_set set_of(const MappedLayer& layer, const dla_extent& extent, const Fold& fold) {
  return dla_filter_set_of(&layer.machine, &layer.shape, &extent, fold.first, fold.last);
}

}  // namespace

MappedLayer::MappedLayer(const dla_machine& of_machine, const dla_shape& of_shape, const dla_mapping& of_mapping)
    : machine(of_machine),
      shape(of_shape),
      mapping(of_mapping),
      passes(dla_derive_passes(&machine, &shape, &mapping)),
      dram_bytes(count_dram_bytes(machine, shape, mapping, passes)),
      staying_chunks(dla_staying_chunks(&shape, &mapping, &passes)),
      filters_fit(staying_chunks != 0 && staying_chunks == dla_filter_chunks(&shape, &mapping, &passes)) {}

FilterGroup price_group(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
  const std::uint32_t e = layer.mapping.e;
  dla_extent set = dla_extent_of(&layer.mapping, filters, fold.channels, fold.rows, e);
  const dla_filter_set chunk = set_of(layer, set, fold);
  FilterGroup group;
  group.filters = filters;
  for (const dla_piece& strip : dla_cut({fold.tile_rows, fold.tile_rows, e, dla_shared_rows(&layer.shape)}).sizes) {
    set.e = strip.size;
    add_strips(layer, fold, set, static_cast<std::uint32_t>(strip.count), group);
  }
  group.sequencer = sequencer_cycles(set.t, group.strips);
  group.bytes = dla_set_bytes(&chunk);
  group.load = kDlaLoadJobCycles + load_run_cycles(group.bytes / layer.machine.bus_bytes);
  group.feed = dla_set_words(&chunk) + kFeedTurnCycles;
  return group;
}

std::uint64_t feed_cycles(const MappedLayer& layer, const Fold& fold, std::uint32_t filters) {
  const dla_extent extent = dla_extent_of(&layer.mapping, filters, fold.channels, fold.rows, layer.mapping.e);
  const dla_filter_set set = set_of(layer, extent, fold);
  return dla_set_words(&set) + kFeedTurnCycles;
}

OutputCost OutputCost::one_pass(std::uint64_t pass, std::uint64_t store, std::uint64_t latency) {
  return {1, pass, pass, pass, 0, store, 2 * store, latency};
}

OutputCost OutputCost::followed_by(const OutputCost& next) const {
  if (passes == 0 || next.passes == 0) {
    return passes == 0 ? next : *this;
  }
  OutputCost both = next;
  both.passes += passes;
  both.array += array;
  both.first = first;
  both.busy += busy + std::max(next.first, store);
  both.stores = next.passes == 1 ? store + next.store : next.stores;
  return both;
}

OutputCost OutputCost::repeated(std::uint64_t count) const {
  if (passes == 0 || count == 0) {
    return {};
  }
  OutputCost all = *this;
  all.passes *= count;
  all.array *= count;
  // Two passes of a kind take at least a tile's whole turn.
  const std::uint64_t turn = passes == 1 ? (last + latency + store) / 2 : 0;
  all.busy = count * busy + (count - 1) * std::max({first, store, turn});
  return all;
}

OutputCost OutputCost::spread_over(std::uint64_t cycles) const {
  OutputCost spread = *this;
  if (passes != 0) {
    spread.array = std::max(array, cycles);
    spread.busy = std::max(busy, spread.array - first);
  }
  return spread;
}

}  // namespace fovea
