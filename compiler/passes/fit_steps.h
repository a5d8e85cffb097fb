// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the machine has to requantize an accumulator so that it gives what a step function gives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/dla_requant.h"

namespace fovea {

/// A function of an accumulator that never falls and has whole values, seen from `lowest` on.
struct StepFunction {
  int64_t first = 0, last = 0;  ///< The accumulators that there can be: at most 2^24 in size.
  uint8_t lowest = 0;           ///< No value below it counts.
  /// The least accumulator of value lowest + 1, lowest + 2, ...; `last` + 1 where it has none. None above them counts.
  std::vector<int64_t> places;

  /// Whether it has one value everywhere.
  bool is_constant() const;
};

/// What an accumulator is multiplied by, what is added to it, and at what scale it is requantized then.
struct StepFit {
  int64_t factor = 1;
  int32_t bias = 0;
  float scale = 1;
};

/// A bias and a scale with which clamp(round((factor * acc + bias) * scale) + zero_point), as dla_apply_scale() has it,
/// is the function's value for each accumulator, where that is between the values that count. Exact: every step is
/// tried. \return nothing where there are none.
std::optional<StepFit> fit_steps(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                 dla_rounding rounding);

/// ... at that scale.
std::optional<StepFit> fit_steps_at(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                    dla_rounding rounding, float scale);

}  // namespace fovea
