// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps of a schedule: from a nest to another that computes the same, bit for bit.
///
///     nest = tile(nest, "i1", 8);         // for i1 in 60 by 8 { for i1_in in 8 { if (i1 + i1_in) < 60 { ...
///     nest = reorder(nest, {"i1", "i0"}); // i1 around i0
///
/// A loop is meant by the name of its variable. Each throws UserError "nest <name>: <step>: <problem>" where there is
/// not one such loop, or where the result would be no nest or compute something else; nests are values, so nothing has
/// happened then. Sums keep the order of their additions. Test: schedule_test.cpp interprets random nests before and
/// after. schedule_trace.h has the steps as text.
#pragma once

#include <string>
#include <vector>

#include "nest.h"

namespace fovea {

/// Turns that a loop that is unrolled has at most.
inline constexpr int64_t kMostUnrolled = 64;

/// \name Of loops: schedule.cpp
/// @{

/// Cuts a loop into tiles of `size` turns: the loop goes by `size`, and `<loop>_in` inside of it by 1. Where they don't
/// fill the last tile, a condition leaves out the rest.
Nest tile(const Nest& nest, const std::string& loop, int64_t size);

/// Makes two loops of one: `<loop>_out` counts tiles of `size` turns, and `<loop>_in` the turns of a tile.
Nest split(const Nest& nest, const std::string& loop, int64_t size);

/// Likewise, with so many tiles, or fewer where the loop has no turns for the last.
Nest split_parts(const Nest& nest, const std::string& loop, int64_t parts);

/// Makes one loop, `<outer>_<inner>`, of a loop and the one that is all of its body.
Nest fuse(const Nest& nest, const std::string& outer, const std::string& inner);

/// Puts loops into this order, from the outside in, at the places that they have among them. Each is all of the body of
/// the one before, but for conditions.
Nest reorder(const Nest& nest, const std::vector<std::string>& loops);

/// Marks a loop as unrolled.
Nest unroll(const Nest& nest, const std::string& loop);

/// Marks an innermost loop as a vector's, whose turns run side by side.
Nest vectorize(const Nest& nest, const std::string& loop);

/// Marks a loop whose turns threads share.
Nest parallel(const Nest& nest, const std::string& loop);

/// Has a C function do what a loop does: a unit of its name, whose body the loop is. \param function  The name of one
/// of the nest's intrinsics.
Nest tensorize(const Nest& nest, const std::string& loop, const std::string& function);

/// @}
/// \name Of stages, which hand elements on in arrays: schedule_stages.cpp
/// @{

/// Takes a reduction out of a loop around it: what is before the loop `reduction` runs in loops of its own, whose names
/// end in "_first", and what is behind it in such that end in "_last". Registers that they share become arrays. After
/// that the reduction may be reordered with the loops from `at` on.
Nest decompose_reduction(const Nest& nest, const std::string& reduction, const std::string& at);

/// Copies what a turn of a loop reads of an input to an array, `<input>_cache`, at its start.
Nest cache_read(const Nest& nest, const std::string& input, const std::string& at);

/// Likewise, as the float64 numbers that each use converts them to: they are converted once a turn.
Nest cache_converted(const Nest& nest, const std::string& input, const std::string& at);

/// Stores what a turn of a loop computes of an output in an array, `<output>_cache`, and copies it at its end.
Nest cache_write(const Nest& nest, const std::string& output, const std::string& at);

/// Computes the elements of an array that a turn of a loop reads at its start, rather than all before.
Nest compute_at(const Nest& nest, const std::string& array, const std::string& at);

/// Moves a loop to the end of the turns of the one right before it, which has as many: what it reads is there by then.
Nest reverse_compute_at(const Nest& nest, const std::string& loop, const std::string& at);

/// @}

}  // namespace fovea
