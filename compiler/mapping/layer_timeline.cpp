// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts chunks one after another.
#include "layer_timeline.h"

#include <algorithm>

namespace fovea {

LayerTimeline::LayerTimeline(const MappedLayer& layer, std::uint64_t start)
    : layer_(&layer), array_end_(start), bus_free_(start), asks_ifmap_(start), asks_filter_(start) {
  cycles_.control = start;
  feeds_from_ = layer.shape.filters_on_chip ? start : 0;
}

std::uint64_t LayerTimeline::ifmap_free() const {
  switch (layer_->passes.ifmap_buffers) {
    case 1:
      return released_[0];
    case 2:
      return released_[1];
    default:
      return 0;  // Free since long before the loads that come first.
  }
}

void LayerTimeline::run(const ChunkCost& chunk, bool loads_ifmap) {
  std::uint64_t start = array_end_;
  if (loads_ifmap) {
    const std::uint64_t asked = std::max(asks_ifmap_, ifmap_free());
    bus_free_ = std::max(bus_free_, asked + kRequestCycles) + chunk.ifmap_load;
    start = std::max(start, bus_free_ + kTokenCycles + chunk.first_fill);
  }
  if (layer_->shape.ifmap_on_chip && is_first_) {
    start += chunk.first_fill;
  }
  is_first_ = false;
  if (feeds_from_ != 0) {
    start = std::max(start, feeds_from_ + chunk.first_feed);
  }
  const std::uint64_t filters_begin = std::max(bus_free_, asks_filter_ + kRequestCycles);
  if (chunk.first_load != 0) {
    start = std::max(start, filters_begin + chunk.first_load + kTokenCycles + chunk.first_feed);
  }
  const std::uint64_t waited = start - array_end_;
  cycles_.filter += std::min(waited, chunk.first_feed);
  cycles_.dram += excess(waited, chunk.first_feed);
  add(cycles_, chunk.array);
  array_end_ = start + chunk.cycles;
  // Filters that take longer on the bus than the array needs for them.
  bus_free_ = chunk.filter_load == 0 ? bus_free_ : filters_begin + chunk.filter_load;
  cycles_.dram += excess(bus_free_, array_end_);
  array_end_ = std::max(array_end_, bus_free_);
  if (chunk.output.passes != 0) {
    store(chunk.output);
  }
  feeds_from_ = array_end_ - chunk.last_group;
  asks_ifmap_ = excess(array_end_, chunk.asks_ifmap);
  asks_filter_ = excess(array_end_, chunk.asks_filter);
  released_[1] = released_[0];
  released_[0] = excess(array_end_, chunk.last_column);
}

/// Two output tiles: a pass waits until the tile before the last has been stored.
void LayerTimeline::store(const OutputCost& output) {
  const std::uint64_t first_pass = std::max(array_end_ - output.array, excess(store_end_, last_store_));
  const std::uint64_t first_tile = first_pass + output.first + output.latency;
  std::uint64_t end = array_end_;
  if (output.busy > output.array - output.first || store_end_ > first_tile) {
    store_end_ = std::max(first_tile, store_end_) + output.busy + output.store;
    end = std::max(end, excess(store_end_ + output.last, output.stores));
  }
  store_end_ = std::max(store_end_, end + output.latency + output.store);
  cycles_.output += end - array_end_;
  array_end_ = end;
  last_store_ = output.store;
}

bool LayerTimeline::is_as_long(const LayerTimeline& first, const LayerTimeline& second) const {
  const auto moves_alike = [&](std::uint64_t LayerTimeline::*time) {
    return this->*time - second.*time == second.*time - first.*time;
  };
  return moves_alike(&LayerTimeline::array_end_) && moves_alike(&LayerTimeline::bus_free_) &&
         moves_alike(&LayerTimeline::store_end_);
}

void LayerTimeline::skip(const LayerTimeline& before, std::uint64_t count) {
  const std::uint64_t shift = count * (array_end_ - before.array_end_);
  const CyclesByCause& was = before.cycles_;
  const CyclesByCause step = {cycles_.compute - was.compute, cycles_.psum - was.psum, cycles_.filter - was.filter,
                              cycles_.ifmap - was.ifmap,     cycles_.dram - was.dram, cycles_.output - was.output,
                              cycles_.control - was.control};
  add(cycles_, step, count);
  for (std::uint64_t* time : {&array_end_, &bus_free_, &asks_ifmap_, &asks_filter_, &feeds_from_, &released_[0],
                              &released_[1], &store_end_}) {
    *time += shift;
  }
}

CyclesByCause LayerTimeline::finish() const {
  CyclesByCause cycles = cycles_;
  const std::uint64_t way = layer_->shape.residual ? kDlaSumCycles : layer_->shape.mean ? kDlaMeanCycles : 0;
  cycles.output += store_end_ + last_response_cycles(layer_->shape) + way - array_end_;
  return cycles;
}

}  // namespace fovea
