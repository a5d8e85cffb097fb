// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers of float64 as float32, which the IR computes with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {

/// The float32 nearest to a number, a finite one where the number is.
inline float nearest_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::isfinite(value) ? std::clamp(value, -kMost, kMost) : value);
}

}  // namespace fovea
