// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides, cycle by cycle, whether waves are dumped.
#include "wave_window.h"

#include <algorithm>

#include "layer_names.h"

namespace fovea {

WaveWindow::WaveWindow(const WaveOptions& options, uint32_t bus_bytes)
    : options_(options), length_(options.cycles == 0 ? kNever : options.cycles) {
  if (!options.trigger.empty()) {
    trigger_.emplace(options.trigger, bus_bytes);
  }
  first_ = options.layer.empty() ? options.from_cycle : kNever;
  if (trigger_) {
    trigger_->arm(first_);
  }
}

void WaveWindow::note_layer(const std::string& name, uint64_t now) {
  layers_.push_back(name);
  if (options_.layer.empty()) {
    return;
  }
  if (first_ != kNever) {
    longest_ = std::max(longest_, now - origin_);
  }
  origin_ = now;
  first_ = name == options_.layer ? now + options_.from_cycle : kNever;
  if (trigger_) {
    trigger_->settle(now);
    trigger_->arm(first_);
  }
}

uint64_t WaveWindow::next_change(uint64_t cycle) const {
  const uint64_t first = first_cycle();
  const uint64_t end = length_ >= kNever - first ? kNever : first + length_;
  return cycle < first ? first : cycle < end ? end : kNever;
}

std::string WaveWindow::explain_empty(uint64_t end) const {
  if (!options_.layer.empty() && std::find(layers_.begin(), layers_.end(), options_.layer) == layers_.end()) {
    return no_such_layer(options_.layer, layers_);
  }
  const std::string nothing = options_.path.string() + ": no waves: ";
  if (trigger_) {
    return nothing + options_.trigger + " did not come";
  }
  const uint64_t cycles = std::max(longest_, first_ == kNever ? 0 : end - origin_);
  return nothing + "the window begins in cycle " + std::to_string(options_.from_cycle) + ", and " +
         (options_.layer.empty() ? "the run" : options_.layer) + " takes " + std::to_string(cycles);
}

}  // namespace fovea
