// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which numbers the values of a graph can be.
#pragma once

#include <limits>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// Numbers from `least` to `most`: all of them, or whole ones only.
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_whole = false;

  bool is_within(double lowest, double highest) const { return lowest <= least && most <= highest; }
};

/// Of each value of a graph, as far as it follows from what bounds and rounds it: a Clip, integers that are dequantized
/// at a scale of 1. Products of whole numbers are whole, and not bounded. What is no number is not looked at.
std::vector<NumberRange> number_ranges(const Graph& graph);

}  // namespace fovea
