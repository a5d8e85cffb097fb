// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the machine has to requantize an accumulator so that it gives what a step function gives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/dla_requant.h"

namespace fovea {

/// Where a function reaches a level.
struct StepPlace {
  uint8_t level;
  int64_t accumulator;  ///< The least of that value or more; the last + 1 where there is none.
};

/// A function of an accumulator that never falls and has whole values, at some levels.
struct StepFunction {
  int64_t first = 0, last = 0;  ///< The accumulators that there can be: at most 2^24 in size.
  std::vector<StepPlace> places;

  /// Whether it reaches no level, or reaches it everywhere.
  bool is_constant() const;
};

/// What an accumulator is multiplied by, what is added to it, and at what scale it is requantized then.
struct StepFit {
  int64_t factor = 1;
  int32_t bias = 0;
  float scale = 1;
};

/// What the machine makes of an accumulator.
uint8_t value_of(const StepFit& fit, int64_t accumulator, uint8_t zero_point, dla_rounding rounding);

/// A bias and a scale with which clamp(round((factor * acc + bias) * scale) + zero_point), as dla_apply_scale() has it,
/// reaches each level where the function does. Exact: every step is tried. \return nothing where there are none.
std::optional<StepFit> fit_steps(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                 dla_rounding rounding);

/// ... at that scale.
std::optional<StepFit> fit_steps_at(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                    dla_rounding rounding, float scale);

}  // namespace fovea
