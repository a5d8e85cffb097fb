// SPDX-License-Identifier: Apache-2.0
/// \file
/// The judges of a layer that ran on both devices. Each has a file of its own, and expects what its first line asks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "layer_run.h"

namespace fovea {

/// What judges have seen in the layers so far.
struct Tally {
  /// How often each of these was seen: a rule is shown to be exact only by layers that it alone holds back.
  std::map<std::string, uint64_t> seen;

  uint64_t predicted = 0;         ///< Layers of which the cycles were predicted;
  uint64_t error_cycles = 0;      ///< ... the sum of their absolute errors,
  uint64_t predicted_cycles = 0;  ///< ... over so many cycles.

  double error_percent() const {
    return predicted_cycles == 0 ? 0 : 100 * static_cast<double>(error_cycles) / static_cast<double>(predicted_cycles);
  }
};

void judge_answer(const LayerRun& run, Tally& tally);
void judge_traffic(const LayerRun& run, Tally& tally);
void judge_lockstep(const LayerRun& run, Tally& tally);
void judge_access_counts(const LayerRun& run, Tally& tally);
void judge_prediction(const LayerRun& run, Tally& tally);
void judge_passes(const LayerRun& run, Tally& tally);
void judge_causes(const LayerRun& run, Tally& tally);
void judge_sequencer(const LayerRun& run, Tally& tally);
void judge_loads(const LayerRun& run, Tally& tally);
void judge_filter_sets(const LayerRun& run, Tally& tally);
void judge_tiles(const LayerRun& run, Tally& tally);
void judge_first_write(const LayerRun& run, Tally& tally);

/// Expects that the cycles predicted for all layers of a scenario were close together.
void judge_all_predictions(const std::string& dram, const Tally& tally);

}  // namespace fovea
