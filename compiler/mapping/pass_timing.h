// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long one pass of the array takes, by cause, when what it needs is always there.
#pragma once

#include <cstdint>

#include "spec/dla_timing.h"

namespace fovea {

/// Cycles, each with the one cause that the device's counters would give it.
struct CyclesByCause {
  std::uint64_t compute = 0, psum = 0, filter = 0, ifmap = 0, dram = 0, output = 0, control = 0;

  std::uint64_t total() const { return compute + psum + filter + ifmap + dram + output + control; }
};

/// Adds `count` times what `each` takes.
inline void add(CyclesByCause& sum, const CyclesByCause& each, std::uint64_t count = 1) {
  sum.compute += count * each.compute;
  sum.psum += count * each.psum;
  sum.filter += count * each.filter;
  sum.ifmap += count * each.ifmap;
  sum.dram += count * each.dram;
  sum.output += count * each.output;
  sum.control += count * each.control;
}

/// Cycles of `a` that `b` does not hide.
constexpr std::uint64_t excess(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// The last column of a pass and what it waits for: when it begins, the pass has done with its ifmap chunk.
/// \param tail        Steps of the tail.
/// \param p           Filters of a set.
/// \param adds_psums  The pass reads psums that an earlier pass left.
std::uint64_t last_column_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail,
                                 std::uint32_t p, bool adds_psums);

/// Cycles of a pass, where the next one is like it: all that pass_cycles() tells apart.
std::uint64_t all_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail, std::uint32_t p,
                         bool adds_psums);

/// A pass, where the next one is like it.
CyclesByCause pass_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail, std::uint32_t p,
                          bool adds_psums);

}  // namespace fovea
