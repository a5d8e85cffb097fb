// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long one pass of the array takes, by cause.
#include "pass_timing.h"

#include <algorithm>

namespace fovea {

std::uint64_t last_column_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail,
                                 std::uint32_t p, bool adds_psums) {
  // A pass starts in the last cycle of the drain.
  const bool waits = adds_psums && !dla_covers_psums(&passes, &lengths, p);
  const std::uint64_t wait = waits ? dla_drain_cycles(&passes, &lengths) - 1 : 0;
  const std::uint64_t before = std::uint64_t{tail - 1} * lengths.column_cycles;
  return std::max(lengths.column_cycles + wait, excess(lengths.fill_words, before));
}

std::uint64_t all_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail, std::uint32_t p,
                         bool adds_psums) {
  const std::uint64_t columns =
      dla_step_start(&lengths, passes.F, tail, passes.F - 1) + last_column_cycles(passes, lengths, tail, p, adds_psums);
  return std::max<std::uint64_t>(columns, kDlaMinPassCycles);
}

CyclesByCause pass_cycles(const dla_passes& passes, const dla_lengths& lengths, std::uint32_t tail, std::uint32_t p,
                          bool adds_psums) {
  const std::uint64_t F = passes.F, step = dla_step_cycles(&lengths);
  CyclesByCause cycles;
  cycles.compute = F * p * lengths.products;
  cycles.ifmap = (F - tail) * (step - lengths.column_cycles) +
                 excess(lengths.fill_words, std::uint64_t{tail} * lengths.column_cycles);
  cycles.psum = all_cycles(passes, lengths, tail, p, adds_psums) - cycles.compute - cycles.ifmap;
  return cycles;
}

}  // namespace fovea
