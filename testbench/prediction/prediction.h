// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs random layers with random mappings on a backend, beside what the cost model says of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/device_bench.h"
#include "mapping/mapper.h"

namespace fovea {

/// One (layer, mapping) pair.
struct PredictedLayer {
  dla_shape shape;
  dla_mapping mapping;
  LayerCost predicted;
  dla_counters measured;
  bool has_run;  ///< The device reported no error.

  /// Predicted against measured cycles, in percent; positive where the device was faster.
  double error_percent() const;

  /// Whether all three DRAM byte counts are the device's.
  bool bytes_agree() const;
};

/// Draws `count` pairs that fit the machine (random_pairs.h) and runs each with a memory.
/// \throws std::runtime_error where the backend can't be opened.
std::vector<PredictedLayer> measure_random_pairs(const std::string& machine, const std::string& backend,
                                                 const std::string& dram, std::uint64_t seed, int count);

/// Of the absolute errors in percent.
struct ErrorSummary {
  double mean = 0, worst = 0;
};

ErrorSummary summarize(const std::vector<PredictedLayer>& layers);

}  // namespace fovea
