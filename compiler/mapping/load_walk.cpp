// SPDX-License-Identifier: Apache-2.0
/// \file
/// When loads and passes are handed out, and when chunks are in the GLB.
#include "load_walk.h"

#include <algorithm>

namespace fovea {
namespace {

/// Tensors begin at multiples of the longest burst.
std::uint32_t align(std::uint32_t addr) {
  return (addr + kDlaBurstBoundaryBytes - 1) / kDlaBurstBoundaryBytes * kDlaBurstBoundaryBytes;
}

/// When the n-th user of one of `count` buffers may have it: when the one so many before has freed it.
std::uint64_t token(const std::vector<std::uint64_t>& freed, std::uint64_t n, std::uint64_t count) {
  return n < count ? 0 : n - count < freed.size() ? freed[n - count] : LoadWalk::kNever;
}

}  // namespace

dla_layer place_tensors(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                        const FirstBytes& first) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  const std::uint32_t groups = dla_groups(&shape), byte = output_byte(machine, shape, passes, first);
  const auto stream = static_cast<std::uint32_t>(dla_filter_stream_bytes(&machine, &shape, &mapping));
  dla_layer layer{};
  layer.shape = shape;
  layer.mapping = mapping;
  layer.ifmap_addr = shape.ifmap_on_chip ? 0 : first.ifmap;
  std::uint32_t end = shape.ifmap_on_chip ? 0 : align(first.ifmap + groups * shape.C * passes.ifmap_stride);
  layer.filter_addr = end;
  end = align(end + stream);
  layer.ofmap_addr = shape.ofmap_on_chip ? 0 : end + byte;
  end = shape.ofmap_on_chip ? end : align(layer.ofmap_addr + groups * shape.M * passes.ofmap_stride);
  layer.residual_addr = shape.residual_on_chip ? 0 : end + byte;
  return layer;
}

LoadWalk::LoadWalk(const dla_machine& machine, const dla_layer& layer, DramWalk& dram, std::uint64_t begin)
    : bus_bytes_(machine.bus_bytes),
      turn_buffers_(layer.mapping.filter_buffers - layer.mapping.stay),
      dram_(dram),
      sequencer_(begin),
      ifmap_addr_(layer.ifmap_addr),
      filter_addr_(layer.filter_addr),
      residual_addr_(layer.residual_addr) {
  dla_schedule_begin(&machine, &layer.shape, &layer.mapping, &schedule_);
}

std::uint64_t LoadWalk::asks() {
  while (!is_loading_) {
    if (!next_item() || !(schedule_.item == kDlaItemPass ? hand_out_pass() : hand_out_load())) {
      return kNever;
    }
  }
  return cycle_;
}

/// The sequencer's way to the next item. \return false at the end.
bool LoadWalk::next_item() {
  if (!has_item_ && schedule_.item != kDlaItemEnd && dla_schedule_next(&schedule_) != kDlaItemEnd) {
    has_item_ = true;
    sequencer_ += schedule_.steps;
  }
  return has_item_;
}

bool LoadWalk::hand_out_pass() {
  const bool new_set = schedule_.pass.new_set;
  const std::uint64_t room = std::max(taken_.room(passes_out_), new_set ? sets_.room(sets_out_) : 0);
  if (room == kNever) {
    return false;
  }
  sequencer_ = std::max(sequencer_, room);
  ++passes_out_;
  sets_out_ += new_set ? 1 : 0;
  passes.push_back({schedule_.pass, schedule_.set, sequencer_ + 1});
  has_item_ = false;
  return true;
}

/// When the buffer that the load fills is free.
std::uint64_t LoadWalk::free_buffer(const dla_load& job) const {
  if (job.is_residual) {
    return token(free_residuals_, residual_loads_, kDlaResiduals);
  }
  if (job.is_table) {
    return 0;
  }
  if (job.is_filter) {
    return schedule_.set.stays ? 0 : token(free_filters_, turn_loads_, turn_buffers_);
  }
  return token(free_ifmaps_, ifmap_loads_, schedule_.passes.ifmap_buffers);
}

bool LoadWalk::hand_out_load() {
  const dla_load& job = schedule_.load;
  const std::uint64_t buffer = free_buffer(job);
  const bool turns = job.is_filter && !job.is_table && !schedule_.set.stays;
  if (buffer == kNever) {
    return false;
  }
  sequencer_ = std::max(sequencer_, loads_.room(loads_out_++));
  const std::uint64_t taken = std::max({sequencer_ + 1, cycle_, buffer});
  loads_.leave(taken);
  ifmap_loads_ += job.is_filter || job.is_residual ? 0 : 1;
  residual_loads_ += job.is_residual ? 1 : 0;
  turn_loads_ += turns ? 1 : 0;
  job_ = job;
  has_item_ = false;
  is_loading_ = true;
  run_ = 0;
  cycle_ = taken + kDlaLoadJobCycles;
  begin_run();
  return true;
}

void LoadWalk::begin_run() {
  const std::uint32_t tensor = job_.is_filter ? filter_addr_ : job_.is_residual ? residual_addr_ : ifmap_addr_;
  const std::uint32_t stride = job_.is_residual ? schedule_.passes.residual_stride : schedule_.passes.ifmap_stride;
  const std::uint32_t first = tensor + job_.offset + run_ * stride;
  addr_ = first / bus_bytes_ * bus_bytes_;
  left_ = (first + job_.bytes + bus_bytes_ - 1) / bus_bytes_ - first / bus_bytes_;
  cycle_ += kDlaLoadRunCycles;
}

void LoadWalk::request() {
  const std::uint32_t beats = std::min<std::uint32_t>(
      {left_, kDlaReadBurstBeats, (kDlaBurstBoundaryBytes - addr_ % kDlaBurstBoundaryBytes) / bus_bytes_});
  const BurstCycles burst = dram_.request(kDramRead, cycle_, addr_, beats);
  cycle_ = burst.accepted + 1;
  addr_ += beats * bus_bytes_;
  left_ -= beats;
  if (left_ != 0) {
    return;
  }
  if (++run_ < job_.runs) {
    begin_run();
    return;
  }
  if (!job_.is_table) {
    (job_.is_filter ? filters : job_.is_residual ? residuals : ifmaps).push_back(burst.last_beat + kDlaLoadedCycles);
  }
  is_loading_ = false;
}

}  // namespace fovea
