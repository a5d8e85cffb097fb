// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps of a schedule: from a nest to another that computes the same, bit for bit.
///
///     nest = tile(nest, "i1", 8);         // for i1 in 60 by 8 { for i1_in in 8 { if (i1 + i1_in) < 60 { ...
///     nest = reorder(nest, "i0", "i1");   // i1 around i0
///
/// A loop is meant by the name of its variable. Each throws UserError "nest <name>: <step>: <problem>" where there is
/// not one such loop, or where the result would be no nest or compute something else; nests are values, so nothing has
/// happened then. Test: schedule_test.cpp interprets random nests before and after.
#pragma once

#include <string>

#include "nest.h"

namespace fovea {

/// Turns that a loop that is unrolled has at most.
inline constexpr int64_t kMostUnrolled = 64;

/// Cuts a loop into tiles of `size` turns: the loop goes by `size`, and `<loop>_in` inside of it by 1. Where they don't
/// fill the last tile, a condition leaves out the rest.
Nest tile(const Nest& nest, const std::string& loop, int64_t size);

/// Swaps a loop and the one that is all of its body.
Nest reorder(const Nest& nest, const std::string& outer, const std::string& inner);

/// Marks a loop as unrolled.
Nest unroll(const Nest& nest, const std::string& loop);

/// Marks an innermost loop as a vector's, whose turns run side by side.
Nest vectorize(const Nest& nest, const std::string& loop);

}  // namespace fovea
