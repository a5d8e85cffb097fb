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

LoadWalk::LoadWalk(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping, DramWalk& dram,
                   std::uint64_t begin)
    : bus_bytes_(machine.bus_bytes),
      plane_(shape.H * shape.W),
      turn_buffers_(mapping.filter_buffers - mapping.stay),
      dram_(dram),
      sequencer_(begin),
      filter_addr_(align(dla_groups(&shape) * shape.C * shape.H * shape.W)),
      ofmap_addr_(
          align(filter_addr_ + static_cast<std::uint32_t>(dla_filter_stream_bytes(&machine, &shape, &mapping)))) {
  dla_schedule_begin(&machine, &shape, &mapping, &schedule_);
  const std::uint32_t plane = schedule_.passes.ofmap_rows * schedule_.passes.ofmap_cols;
  residual_addr_ = align(ofmap_addr_ + dla_groups(&shape) * shape.M * plane);
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
  const std::uint32_t tensor = job_.is_filter ? filter_addr_ : job_.is_residual ? residual_addr_ : 0;
  const std::uint32_t ofmap_plane = schedule_.passes.ofmap_rows * schedule_.passes.ofmap_cols;
  const std::uint32_t first = tensor + job_.offset + run_ * (job_.is_residual ? ofmap_plane : plane_);
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
