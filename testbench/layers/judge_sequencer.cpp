// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does the sequencer take its steps: 91 cycles of setup, max(rows, cols) + 3 of start, then docs/timing.md's?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"

namespace fovea {

void judge_sequencer(const LayerRun& run, Tally& /*tally*/) {
  // As long as its queues have room: the first four loads and passes.
  constexpr size_t kRoom = 4;
  uint64_t cycle = run.at("ctrl start", 0) + 91 + std::max(run.machine.rows, run.machine.cols) + 3;
  size_t load = 0;
  for (size_t k = 0; k < std::min(kRoom, run.paper.passes.size()) && load < kRoom; ++k) {
    const PaperPass& pass = run.paper.passes[k];
    for (const uint32_t steps : pass.loads_before) {
      cycle += steps + 1;
      if (load < kRoom) {
        EXPECT_EQ(run.at("seq load", load), cycle);
      }
      ++load;
    }
    cycle += pass.steps_before + 1;
    if (load <= kRoom) {
      EXPECT_EQ(run.at("seq pass", k), cycle);
    }
  }
}

}  // namespace fovea
