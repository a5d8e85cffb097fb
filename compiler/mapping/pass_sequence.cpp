// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds up kinds of steps, and of changes from one to the next.
#include "pass_sequence.h"

namespace fovea {

PassSequence::PassSequence(const MappedLayer& layer)
    : layer_(layer),
      group_(std::min(layer.mapping.p * layer.mapping.t, layer.shape.M)),
      tail_(dla_tail_steps(&layer.shape, layer.passes.F)) {
  const dla_mapping& m = layer.mapping;
  for (const dla_piece& tile : dla_cut(dla_loop_of(&layer.shape, &m, &layer.passes, kDlaRowTiles)).sizes) {
    if (tile.count != 0) {
      row_tiles_.push_back(tile);
      strips_.push_back(dla_cut({tile.size, tile.size, m.e, dla_shared_rows(&layer.shape)}));
    }
  }
  const std::uint32_t chunks = layer.passes.c_chunks, channels = m.q * m.r;
  if (chunks > 1) {
    add_chunks(channels, true, false, 1);
  }
  if (chunks > 2) {
    add_chunks(channels, false, false, chunks - 2);
  }
  add_chunks(layer.shape.C - (chunks - 1) * channels, chunks == 1, true, 1);
  arrays_.resize(steps_.size() * row_tiles_.size() * (group_ + 1));
  feeds_.resize(steps_.size() * (group_ + 1));
  sums_.resize(group_ + 1);
  tiles_.resize(2 * std::size_t{group_});
}

/// Behind those that there are.
void PassSequence::add_chunks(std::uint32_t channels, bool first, bool last, std::uint64_t chunks) {
  const std::uint32_t folds = layer_.passes.folds, rows = layer_.passes.fold_rows;
  const std::uint32_t last_rows = layer_.shape.R - (folds - 1) * rows;
  const std::size_t begin = steps_.size();
  const auto add = [&](const Step& step, std::uint64_t alike) {
    if (!steps_.empty()) {
      changes_.push_back({steps_.size() - 1, steps_.size(), steps_.size() == begin ? 1 : chunks});
    }
    if (alike > 1) {
      changes_.push_back({steps_.size(), steps_.size(), chunks * (alike - 1)});
    }
    steps_.push_back(step);
    steps_.back().times = chunks * alike;
  };
  if (folds > 1) {
    add({channels, rows, first, false, 0}, 1);
  }
  if (folds > 2) {
    add({channels, rows, false, false, 0}, folds - 2);
  }
  add({channels, last_rows, first && folds == 1, last, 0}, 1);
  if (chunks > 1) {
    changes_.push_back({steps_.size() - 1, begin, chunks - 1});
  }
}

dla_filter_set PassSequence::set_of(const Step& step, std::uint32_t filters) const {
  const dla_extent extent = dla_extent_of(&layer_.mapping, filters, step.channels, step.rows, layer_.mapping.e);
  return dla_filter_set_of(&layer_.machine, &layer_.shape, &extent, step.first, step.last);
}

dla_lengths PassSequence::first_lengths(std::uint32_t filters) const {
  const Step& step = steps_.front();
  const dla_extent extent = dla_extent_of(&layer_.mapping, filters, step.channels, step.rows, layer_.mapping.e);
  return dla_pass_lengths(&layer_.machine, &layer_.shape, &extent);
}

std::uint64_t PassSequence::feed(std::size_t step, std::uint32_t filters) {
  std::uint64_t& cycles = feeds_[step * (group_ + 1) + filters];
  if (cycles == 0) {
    const dla_filter_set set = set_of(steps_[step], filters);
    cycles = dla_set_words(&set) + kFeedTurnCycles;
  }
  return cycles;
}

/// Of all strips of a row tile with a group, or what the sequencer takes for them: the same for all groups with so many
/// sets of p filters.
std::uint64_t PassSequence::array(std::size_t step, std::size_t rows, std::uint32_t filters) {
  std::uint64_t* const by_filters = &arrays_[(step * row_tiles_.size() + rows) * (group_ + 1)];
  if (by_filters[filters] != 0) {
    return by_filters[filters];
  }
  const Step& of = steps_[step];
  dla_extent set = dla_extent_of(&layer_.mapping, filters, of.channels, of.rows, layer_.mapping.e);
  std::uint64_t cycles = 0, strips = 0;
  for (const dla_piece& strip : strips_[rows].sizes) {
    if (strip.count != 0) {
      set.e = strip.size;
      const dla_lengths lengths = dla_pass_lengths(&layer_.machine, &layer_.shape, &set);
      cycles += strip.count * all_cycles(layer_.passes, lengths, tail_, set.p, !of.first);
      strips += strip.count;
    }
  }
  cycles = std::max(cycles, sequencer_cycles(set.t, strips));
  by_filters[filters] = cycles;
  if (set.t > 1) {
    std::fill(by_filters + (set.t - 1) * set.p + 1, by_filters + std::min(set.t * set.p, group_) + 1, cycles);
  }
  return cycles;
}

/// A step of a tile of filters. \param next_feed  Of the first group behind it.
std::uint64_t PassSequence::step_cycles(std::size_t step, std::size_t rows, std::uint32_t filters,
                                        std::uint64_t next_feed) {
  const std::uint64_t wholes = filters / group_;
  const std::uint32_t rest = filters % group_;
  if (rest == 0) {
    const std::uint64_t whole = array(step, rows, group_);
    return (wholes - 1) * std::max(whole, wholes == 1 ? 0 : feed(step, group_)) + std::max(whole, next_feed);
  }
  const std::uint64_t last = std::max(array(step, rows, rest), next_feed);
  if (wholes == 0) {
    return last;
  }
  const std::uint64_t whole = array(step, rows, group_);
  return (wholes - 1) * std::max(whole, wholes == 1 ? 0 : feed(step, group_)) + std::max(whole, feed(step, rest)) +
         last;
}

/// A tile of filters, over all row tiles. \param next_feed  Of the first group behind it.
std::uint64_t PassSequence::tile_cycles(std::uint32_t filters, std::uint64_t next_feed) {
  std::uint64_t cycles = 0;
  for (std::size_t rows = 0; rows < row_tiles_.size(); ++rows) {
    std::uint64_t tile = step_cycles(steps_.size() - 1, rows, filters, next_feed);
    for (const Change& change : changes_) {
      tile += change.times * step_cycles(change.from, rows, filters, feed(change.to, first_group(filters)));
    }
    cycles += row_tiles_[rows].count * tile;
  }
  return cycles;
}

/// The same before a tile whose first group is as large.
std::uint64_t PassSequence::cycles_before_like(std::uint32_t filters) {
  const std::uint32_t few = filters < group_ ? filters : group_ + filters % group_;
  std::uint64_t& cycles = tiles_[few];
  if (cycles == 0) {
    cycles = tile_cycles(few, feed(0, first_group(few)));
  }
  if (few == filters) {
    return cycles;
  }
  if (more_ == 0) {
    more_ = tile_cycles(2 * group_, feed(0, group_)) - tile_cycles(group_, feed(0, group_));
  }
  return cycles + (filters - few) / group_ * more_;
}

const PassSequence::GroupSums& PassSequence::sums(std::uint32_t filters) {
  GroupSums& sum = sums_[filters];
  if (sum.array == 0 && filters != 0) {
    for (std::size_t rows = 0; rows < row_tiles_.size(); ++rows) {
      for (std::size_t step = 0; step < steps_.size(); ++step) {
        const std::uint64_t times = row_tiles_[rows].count * steps_[step].times;
        sum.array += times * array(step, rows, filters);
        sum.feeds += times * feed(step, filters);
      }
    }
  }
  return sum;
}

std::uint64_t PassSequence::least_cycles(std::uint32_t m) {
  const std::uint32_t M = layer_.shape.M, tiles = M / m, rest = M % m;
  const std::uint64_t wholes = std::uint64_t{tiles} * (m / group_) + rest / group_;
  const GroupSums &whole = sums(m < group_ ? 0 : group_), &of_tiles = sums(m % group_), &of_rest = sums(rest % group_);
  const std::uint64_t array = wholes * whole.array + tiles * of_tiles.array + of_rest.array;
  const std::uint64_t feeds = wholes * whole.feeds + tiles * of_tiles.feeds + of_rest.feeds;
  const std::uint64_t turns = dla_group_turns(&layer_.shape, &layer_.mapping);
  return std::max(turns * array, turns * feeds - feed(0, first_group(m)));  // Nothing hides the first feed.
}

std::uint64_t PassSequence::cycles(std::uint32_t m) {
  const std::uint32_t M = layer_.shape.M, rest = M % m;
  const std::uint64_t wholes = M / m, first_feed = feed(0, first_group(m));
  std::uint64_t cycles = (rest == 0 ? wholes : wholes - 1) * cycles_before_like(m);
  if (rest != 0) {
    const bool is_alike = first_group(rest) == first_group(m);
    cycles += is_alike ? cycles_before_like(m) + cycles_before_like(rest)
                       : tile_cycles(m, feed(0, rest)) + tile_cycles(rest, first_feed);
  }
  // Nothing is fed behind the last group.
  const std::uint32_t last_tile = rest == 0 ? m : rest, last_group = last_tile % group_;
  const std::uint64_t last = array(steps_.size() - 1, row_tiles_.size() - 1, last_group == 0 ? group_ : last_group);
  return dla_group_turns(&layer_.shape, &layer_.mapping) * cycles - excess(first_feed, last);
}

}  // namespace fovea
