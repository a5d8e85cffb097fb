// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs layers on a backend and gives the cycle of every event of every layer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/device_bench.h"

namespace fovea {

/// Cycles of a layer's events, by what transaction_text.h writes: unit and event.
class LayerEvents {
 public:
  /// A line of the layer's part of a trace. What is no event is left out.
  void add_line(const std::string& line);

  /// In the order of their numbers. \return empty where there was none.
  const std::vector<uint64_t>& of(const std::string& event) const;

  /// The cycle of event number `number`. Fails the test where there are not that many.
  uint64_t at(const std::string& event, size_t number) const;

  dla_counters counters{};  ///< Of the layer, when it had ended.

 private:
  std::map<std::string, std::vector<uint64_t>> cycles_;
};

/// Whether a line of a trace begins a layer, or one with this name.
bool is_layer(const std::string& line);
bool is_layer(const std::string& line, const std::string& name);

/// Runs the layers one after another on a new device. Expects that none is refused.
std::vector<LayerEvents> run_for_events(const Scenario& scenario, std::vector<LayerCase>& layers);

}  // namespace fovea
