// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs layers once on the checked RTL and once on the SystemC model, with all that judges need of these two runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/lockstep_bench.h"
#include "timing/layer_events.h"
#include "timing/paper_passes.h"

namespace fovea {

/// A layer to run.
struct DrawnLayer {
  LayerCase test;
  bool is_as_compiled = false;  ///< Its tensors start at whole bus words, as the compiler places them.
};

/// A layer that has run.
struct LayerRun {
  LockstepScenario scenario;
  dla_machine machine{};
  LayerCase test;
  bool is_as_compiled = false;
  LayerOutcome rtl, systemc;
  uint64_t rtl_cycles = 0, systemc_cycles = 0;  ///< Since reset.
  LayerEvents events;                           ///< Of the RTL.
  std::string trace_difference;                 ///< The first lines of the two traces that differ; empty: none.
  PaperLayer paper;                             ///< What the pages say of its passes.

  /// Cycle of an event of the RTL, and how many there were.
  uint64_t at(const std::string& event, size_t number) const { return events.at(event, number); }
  size_t count(const std::string& event) const { return events.of(event).size(); }
};

/// Runs the layers one after another on two new devices; ends behind the first that a device refuses.
std::vector<LayerRun> run_layers(const LockstepScenario& scenario, std::vector<DrawnLayer> layers);

}  // namespace fovea
