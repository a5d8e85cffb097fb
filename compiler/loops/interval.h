// SPDX-License-Identifier: Apache-2.0
/// \file
/// Between which numbers an index stays.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ops/expression.h"

namespace fovea {

struct NestBuffer;

/// From `low` to `high`, both included.
struct Interval {
  int64_t low = 0, high = 0;

  bool is_within(const Interval& other) const { return other.low <= low && high <= other.high; }
};

/// What nothing is known about. Far from overflow, so that such intervals can be added.
constexpr Interval kAnyIndex{-(int64_t{1} << 61), int64_t{1} << 61};

/// What is known where an expression stands.
struct Ranges {
  std::map<int, Interval> variables;                    ///< What a variable is between, by its id.
  std::vector<std::pair<Expression, Interval>> bounds;  ///< What formulas are between, as conditions say.
  std::map<int, Interval> elements;                     ///< What elements of a buffer are between, by its id.

  /// Adds what holds where `condition` does: of a < n and n < a, and what joins such by "and". n is a number.
  void assume(const Expression& condition);
};

/// What int32 holds. Up to there int64 has no overflow that an interval would miss.
constexpr Interval kInt32Range{INT32_MIN, INT32_MAX};

/// What is known of elements by how they are stored: integers of up to 32 bits.
Ranges ranges_of(const std::vector<NestBuffer>& buffers);

/// Between which numbers an expression of type kIndex or kInt64 stays: never too narrow. A variable that has no range
/// may be anything, and so may an int64 that is computed from one beyond int32.
Interval interval_of(const Expression& x, const Ranges& ranges);

}  // namespace fovea
