// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lays the layers of two sides beside each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "difference.h"
#include "side.h"

namespace fovea {

/// A layer that both sides have: places among their values.
struct ComparedLayer {
  std::size_t a = 0, b = 0;
  Difference difference;
};

struct Comparison {
  std::vector<ComparedLayer> layers;        ///< As the network runs: A's, or B's where only that is known.
  std::vector<std::string> only_a, only_b;  ///< Names of what the other side has not, or not of this shape.
  std::optional<std::size_t> first;         ///< The first of `layers` that differs.
};

/// Pairs what has a name in common and is of one shape, surest names first, and compares each pair.
/// \throws UserError where nothing can be paired.
Comparison compare_sides(const Side& a, const Side& b, double tolerance);

}  // namespace fovea
