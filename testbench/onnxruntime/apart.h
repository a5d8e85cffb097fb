// SPDX-License-Identifier: Apache-2.0
/// \file
/// How far two float32 answers are from each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace fovea {

/// The largest difference, as a share of the largest finite expected value, or of `least` if that is larger: where
/// sums of larger terms cancel. Infinities and NaN are equal to themselves only, and infinitely far from all else.
inline float apart(const std::vector<float>& actual, const std::vector<float>& expected, float least = 1e-30F) {
  float most = 0, largest = least;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i]))) {
      continue;
    }
    const float difference = std::abs(actual[i] - expected[i]);
    most = std::max(most, std::isnan(difference) ? std::numeric_limits<float>::infinity() : difference);
  }
  for (const float value : expected) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  return most / largest;
}

}  // namespace fovea
