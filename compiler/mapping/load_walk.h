// SPDX-License-Identifier: Apache-2.0
/// \file
/// When loads and passes are handed out, and when chunks are in the GLB: the sequencer's and the loads' part of
/// docs/timing.md, a burst at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dram_traffic.h"
#include "dram_walk.h"
#include "spec/dla_schedule.h"

namespace fovea {

/// When the items that went through a queue left it.
class WalkedQueue {
 public:
  /// From when on item number `item` has room; UINT64_MAX where the one that makes it has not left.
  std::uint64_t room(std::uint64_t item) const {
    const std::uint64_t left = item - kDlaQueueEntries;
    return item < kDlaQueueEntries ? 0 : left < left_.size() ? left_[left] + 1 : UINT64_MAX;
  }
  void leave(std::uint64_t cycle) { left_.push_back(cycle); }

 private:
  std::vector<std::uint64_t> left_;
};

/// A pass that the array sees from cycle `queued` on.
struct QueuedPass {
  dla_pass pass;
  dla_filter_set set;
  std::uint64_t queued;
};

/// The layer with its tensors in DRAM at multiples of the longest burst, one behind another, but for `first` and
/// output_byte(); on chip at the begin of the first column. Its GLB regions are left out.
dla_layer place_tensors(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                        const FirstBytes& first);

class LoadWalk {
 public:
  static constexpr std::uint64_t kNever = UINT64_MAX;

  /// \param dram  Outlives the walk.   \param begin  The cycle before the sequencer's first step.
  LoadWalk(const dla_machine& machine, const dla_layer& layer, DramWalk& dram, std::uint64_t begin);

  /// When the next burst is asked for, after handing out what can be; kNever where that hangs on the array, or at the
  /// end.
  std::uint64_t asks();

  /// Requests it.
  void request();

  /// Passes that were handed out, for the array to take.
  std::deque<QueuedPass> passes;

  /// When chunks were seen in the GLB, in the order of their loads.
  std::vector<std::uint64_t> ifmaps, filters, residuals;

  // What the array says: an ifmap buffer, a filter buffer is free; a set, a pass was taken.
  void free_ifmap(std::uint64_t cycle) { free_ifmaps_.push_back(cycle); }
  void free_filter(std::uint64_t cycle) { free_filters_.push_back(cycle); }
  void free_residual(std::uint64_t cycle) { free_residuals_.push_back(cycle); }
  void take_set(std::uint64_t cycle) { sets_.leave(cycle); }
  void take_pass(std::uint64_t cycle) { taken_.leave(cycle); }

 private:
  bool next_item();
  bool hand_out_pass();
  bool hand_out_load();
  std::uint64_t free_buffer(const dla_load& job) const;
  void begin_run();

  const std::uint32_t bus_bytes_;
  const std::uint32_t turn_buffers_;  ///< Filter buffers whose chunks do not stay.
  DramWalk& dram_;
  dla_schedule schedule_;
  bool has_item_ = false;  ///< That has not been handed out.
  std::uint64_t sequencer_;
  std::uint64_t loads_out_ = 0, sets_out_ = 0, passes_out_ = 0;
  WalkedQueue loads_, sets_, taken_;
  std::vector<std::uint64_t> free_ifmaps_, free_filters_, free_residuals_;
  std::uint64_t ifmap_loads_ = 0, turn_loads_ = 0, residual_loads_ = 0;
  std::uint32_t ifmap_addr_, filter_addr_, residual_addr_;

  bool is_loading_ = false;
  dla_load job_{};
  std::uint32_t run_ = 0, addr_ = 0, left_ = 0;  ///< Of the job; the next burst's; beats of the run.
  std::uint64_t cycle_ = 0;                      ///< When the next burst is asked for; when the loader is free.
};

}  // namespace fovea
