// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run as a timeline: a track a unit, layers and passes nested, what is in flight and in the GLB as counters.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "backend.h"
#include "dma_timeline.h"
#include "timeline_writer.h"
#include "transaction.h"

namespace fovea {

/// Built from transactions alone, so both backends write the same. A layer's span has exactly the cycles that its
/// CYCLES counter counts, from the cycle after START is accepted; whatever its units do lies within.
class Timeline final : public TransactionSink {
 public:
  enum Track : uint32_t { kDriver = 1, kController, kRead, kWrite, kFilter, kIfmap, kArray, kPost, kStore, kCpu };

  /// \throws BackendError where the file cannot be written.
  Timeline(const std::filesystem::path& path, const MachineFile& machine);

  void take_layer(uint64_t cycle, const std::string& name) override;
  void take_cpu_layer(uint64_t cycle, const std::string& name) override;
  void take(const Transaction& event) override;
  void finish(uint64_t cycle) override;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  /// What a unit is doing, one thing at a time.
  struct Unit {
    uint64_t from = kNone;
    uint32_t number = 0;
  };

  void take_access(const Transaction& event);
  void take_array(const Transaction& event);
  void take_tile(const Transaction& event);
  void end_call(uint64_t cycle);
  void end_layer(uint64_t to, uint32_t cause);
  void end_unit(Track track, const char* name, Unit& unit, uint64_t to);
  void add_busy(uint64_t from, uint64_t to);
  void write_busy_before(uint64_t cycle);

  TimelineWriter writer_;
  DmaTimeline dma_;
  // The driver.
  std::string layer_ = "layer";
  uint64_t call_from_ = kNone, access_end_ = 0, waiting_from_ = kNone;
  // The device.
  uint64_t layer_from_ = kNone, array_free_from_ = kNone, store_free_from_ = 0;
  Unit set_, window_, pass_, tile_;
  std::deque<uint64_t> tiles_;  ///< Complete, not written out: from when on.
  uint64_t busy_window_ = 0, busy_cycles_ = 0, busy_shown_ = 0;
};

}  // namespace fovea
