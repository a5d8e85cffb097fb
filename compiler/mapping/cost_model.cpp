// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model: sums a layer's passes by kind, since only remainders differ from the others.
#include "cost_model.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fovea {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// `count` pieces of `size`, the first of which is number `first`.
struct Run {
  std::uint32_t size, first;
  std::uint64_t count;
};

/// Cuts `total` into pieces of `step`: the first piece, those that are like their neighbours, the last two.
/// So whatever depends on being first or last, or on the next piece's size, is the same for a whole run.
std::vector<Run> cut(std::uint32_t total, std::uint32_t step) {
  const std::uint32_t pieces = static_cast<std::uint32_t>(ceil_div(total, step));
  std::vector<Run> runs;
  const auto add = [&](std::uint32_t first, std::uint32_t count) {
    runs.push_back({first + 1 == pieces ? total - first * step : step, first, count});
  };
  add(0, 1);
  if (pieces > 3) {
    add(1, pieces - 3);
  }
  for (std::uint32_t piece = pieces > 2 ? pieces - 2 : 1; piece < pieces; ++piece) {
    add(piece, 1);
  }
  return runs;
}

/// Channels and filter rows that the passes of a tile go through, one after another.
struct KStep {
  std::uint32_t channels, rows;
  bool first;
  std::uint64_t count;
};

std::vector<KStep> k_steps(const dla_shape& shape, const dla_mapping& mapping, const dla_passes& passes) {
  std::vector<KStep> steps;
  for (const Run& chunk : cut(shape.C, mapping.q * mapping.r)) {
    for (std::uint32_t row = 0; row < shape.R; row += passes.fold_rows) {
      const std::uint32_t rows = std::min(passes.fold_rows, shape.R - row);
      steps.push_back({chunk.size, rows, chunk.first == 0 && row == 0, chunk.count});
    }
  }
  return steps;
}

PassExtent extent_of(const dla_mapping& mapping, std::uint32_t filters, const KStep& step, std::uint32_t e) {
  dla_filter_chunk chunk{};
  chunk.filters = filters;
  chunk.channels = step.channels;
  dla_split_chunk(&mapping, &chunk);
  return {e, step.rows, chunk.t, chunk.p, chunk.r, chunk.q};
}

/// What one tile of m filters and e_glb rows costs, whichever tile it is.
struct TileCost {
  std::uint64_t array_cycles = 0;
  std::uint64_t filter_words = 0;
};

class Pricing {
 public:
  Pricing(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping)
      : machine_(machine),
        shape_(shape),
        mapping_(mapping),
        passes_(dla_derive_passes(&machine, &shape, &mapping)),
        steps_(k_steps(shape, mapping, passes_)) {}

  const dla_passes& passes() const { return passes_; }

  TileCost price_tile(std::uint32_t filters, std::uint32_t rows) const {
    TileCost cost;
    const std::vector<Run> row_runs = cut(rows, mapping_.e);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const KStep& next = steps_[(i + 1) % steps_.size()];
      TileCost step_cost;
      for (const Run& group : cut(filters, mapping_.p * mapping_.t)) {
        const bool last = (group.first + group.count) * mapping_.p * mapping_.t >= filters;
        const TileCost one = price_group(group.size, steps_[i], last ? next : steps_[i], row_runs);
        step_cost.array_cycles += group.count * one.array_cycles;
        step_cost.filter_words += group.count * one.filter_words;
      }
      cost.array_cycles += steps_[i].count * step_cost.array_cycles;
      cost.filter_words += steps_[i].count * step_cost.filter_words;
    }
    return cost;
  }

  /// DRAM words of `channels` channels of the tile that starts at output row `row0`, a bus word at least partly used
  /// counted whole.
  std::uint64_t ifmap_words(std::uint32_t row0, std::uint32_t rows, std::uint32_t channels) const {
    const std::int64_t top = static_cast<std::int64_t>(row0) * shape_.U - shape_.PAD;
    const std::int64_t bottom = top + (rows - 1) * shape_.U + shape_.R;
    const std::int64_t low = std::clamp<std::int64_t>(top, 0, shape_.H);
    const std::int64_t high = std::clamp<std::int64_t>(bottom, 0, shape_.H);
    const std::uint64_t bytes = static_cast<std::uint64_t>(high - low) * shape_.W;
    const std::uint64_t plane_bytes = static_cast<std::uint64_t>(shape_.H) * shape_.W;
    const std::uint64_t bus = machine_.bus_bytes;
    std::uint64_t words = 0;
    const std::uint64_t period = std::min<std::uint64_t>(channels, bus);  // Alignments repeat after `bus` channels.
    for (std::uint64_t c = 0; c < period && bytes != 0; ++c) {
      const std::uint64_t start = (c * plane_bytes + static_cast<std::uint64_t>(low) * shape_.W) % bus;
      words += ceil_div(start + bytes, bus) * ((channels - c + bus - 1) / bus);
    }
    return words;
  }

  /// What the array waits for before its first pass.
  std::uint64_t start_words() const {
    const KStep& first = steps_.front();
    const std::uint32_t filters = std::min({mapping_.p * mapping_.t, mapping_.m, shape_.M});
    const PassExtent pass = extent_of(mapping_, filters, first, mapping_.e);
    return ifmap_words(0, std::min(mapping_.e_glb, passes_.E), first.channels) +
           filter_words(machine_, shape_, pass, filters, true) + first_window_words(shape_, pass);
  }

  /// Words of the last output tile, which is written when all passes are done.
  std::uint64_t end_words() const {
    const std::uint64_t outputs = static_cast<std::uint64_t>(mapping_.p) * mapping_.t * mapping_.e * passes_.F;
    return ceil_div(shape_.pool ? outputs / 4 : outputs, machine_.bus_bytes);
  }

 private:
  /// The passes of one group of p*t filters: all rows of the tile with the same filters in the PEs. `next` is the
  /// step of the pass after the group; the next group's filters are loaded meanwhile.
  TileCost price_group(std::uint32_t filters, const KStep& step, const KStep& next,
                       const std::vector<Run>& row_runs) const {
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < row_runs.size(); ++i) {
      const bool last = i + 1 == row_runs.size();
      const PassExtent pass = extent_of(mapping_, filters, step, row_runs[i].size);
      const PassExtent after = extent_of(mapping_, filters, last ? next : step, row_runs[last ? 0 : i + 1].size);
      const std::uint64_t compute = column_cycles(machine_, shape_, pass);
      const std::uint64_t column = std::max(compute, next_window_words(shape_, pass));
      const std::uint64_t last_column = std::max(compute, first_window_words(shape_, after));
      cycles += row_runs[i].count * ((passes_.F - 1) * column + last_column);
    }
    const PassExtent pass = extent_of(mapping_, filters, step, row_runs[0].size);
    const std::uint64_t words = filter_words(machine_, shape_, pass, filters, step.first);
    return {std::max(cycles, words), words};
  }

  const dla_machine& machine_;
  const dla_shape& shape_;
  const dla_mapping& mapping_;
  dla_passes passes_;
  std::vector<KStep> steps_;
};

/// Ifmap words that the PEs of a pass take for `columns` new ifmap columns: four channels a word, each row once.
std::uint64_t window_words(const dla_shape& shape, const PassExtent& pass, std::uint32_t columns) {
  const std::uint64_t rows = static_cast<std::uint64_t>(pass.e - 1) * std::min(shape.U, pass.rows) + pass.rows;
  return pass.r * rows * columns * ceil_div(pass.q, 4);
}

}  // namespace

std::uint64_t column_cycles(const dla_machine& machine, const dla_shape& shape, const PassExtent& pass) {
  const std::uint64_t psum_words = ceil_div(static_cast<std::uint64_t>(pass.e) * pass.t, dla_psum_net_words(&machine));
  return pass.p * std::max<std::uint64_t>(pass.q * shape.S, psum_words);
}

std::uint64_t first_window_words(const dla_shape& shape, const PassExtent& pass) {
  return window_words(shape, pass, shape.S);
}

std::uint64_t next_window_words(const dla_shape& shape, const PassExtent& pass) {
  return window_words(shape, pass, std::min(shape.U, shape.S));
}

std::uint64_t filter_words(const dla_machine& machine, const dla_shape& shape, const PassExtent& pass,
                           std::uint32_t filters, bool has_bias) {
  dla_filter_chunk chunk{};
  chunk.filters = filters;
  chunk.rows = pass.rows;
  chunk.t = pass.t;
  chunk.p = pass.p;
  chunk.r = pass.r;
  chunk.q = pass.q;
  chunk.has_bias = has_bias;
  return dla_filter_chunk_bytes(&machine, &shape, &chunk) / machine.bus_bytes;
}

LayerCost price_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const Pricing pricing(machine, shape, mapping);
  const dla_passes& passes = pricing.passes();
  const std::uint64_t bus = machine.bus_bytes;
  LayerCost cost;
  cost.cycles = pricing.start_words() + pricing.end_words();
  const std::vector<Run> filter_runs = cut(shape.M, mapping.m);
  for (const Run& rows : cut(passes.E, mapping.e_glb)) {
    for (const Run& filters : filter_runs) {
      const TileCost tile = pricing.price_tile(filters.size, rows.size);
      const std::uint64_t outputs = static_cast<std::uint64_t>(filters.size) * rows.size * passes.F;
      const std::uint64_t written = ceil_div(shape.pool ? outputs / 4 : outputs, bus);
      const bool loads_ifmap = filters.first == 0 || !mapping.ifmap_resident;
      for (std::uint32_t i = 0; i < rows.count; ++i) {
        const std::uint32_t row0 = (rows.first + i) * mapping.e_glb;
        const std::uint64_t ifmap = loads_ifmap ? pricing.ifmap_words(row0, rows.size, shape.C) : 0;
        const std::uint64_t read = ifmap + tile.filter_words;
        // One chunk in one buffer can't be replaced while the array still reads it.
        const std::uint64_t exposed = row0 > 0 && passes.ifmap_buffers == 1 ? ifmap : 0;
        cost.cycles += filters.count * (exposed + std::max({tile.array_cycles, read - exposed, written}));
        cost.dram_read_bytes += filters.count * read * bus;
      }
    }
  }
  cost.dram_write_bytes = static_cast<std::uint64_t>(shape.M) * passes.ofmap_rows * passes.ofmap_cols;
  return cost;
}

}  // namespace fovea
