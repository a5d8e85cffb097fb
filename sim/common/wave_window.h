// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides, cycle by cycle, whether waves are dumped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "wave_trigger.h"

namespace fovea {

/// The window of WaveOptions. Cycles count from reset, or from the start of the chosen layer, each time it runs. With a
/// trigger the window begins in the cycle in which the trigger fires, within what would be the window without, and has
/// its full length.
class WaveWindow {
 public:
  static constexpr uint64_t kNever = WaveTrigger::kNever;

  /// \throws BackendError for a trigger that there is not.
  explicit WaveWindow(const WaveOptions& options, uint32_t bus_bytes = 4);

  /// The layer called `name` starts in cycle `now`.
  void note_layer(const std::string& name, uint64_t now);

  /// Whether note() changes anything.
  bool wants_events() const { return trigger_.has_value(); }
  void note(const Transaction& event) { trigger_->note(event); }

  bool contains(uint64_t cycle) const {
    const uint64_t first = first_cycle();
    return cycle >= first && cycle - first < length_;
  }

  /// The first cycle after `cycle` in which contains() may change, if nothing is noted before.
  uint64_t next_change(uint64_t cycle) const;

  /// Why nothing was dumped up to the end of the run in cycle `end`, as one line.
  std::string explain_empty(uint64_t end) const;

 private:
  uint64_t first_cycle() const { return trigger_ ? trigger_->fires_in() : first_; }

  WaveOptions options_;
  uint64_t length_;
  std::optional<WaveTrigger> trigger_;
  uint64_t origin_ = 0;
  uint64_t first_ = kNever;  ///< Of the window without a trigger; kNever while another layer runs.
  uint64_t longest_ = 0;     ///< Cycles that the layer took so far.
  std::vector<std::string> layers_;
};

}  // namespace fovea
