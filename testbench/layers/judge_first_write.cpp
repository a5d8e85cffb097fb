// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the first write burst requested 3 cycles after its last word, as docs/timing.md says?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"

namespace fovea {

/// Two until the sender sees the word, one to begin; 14 more where a residual is added, 9 where means are taken. A
/// burst to the GLB is no event.
void judge_first_write(const LayerRun& run, Tally& /*tally*/) {
  constexpr uint32_t kMaxBeats = 16, kBoundary = 4096;
  const PaperLayer& paper = run.paper;
  if (paper.ofmap.on_chip) {
    return;
  }
  const uint32_t bus_bytes = run.machine.bus_bytes;
  const auto pass = std::find_if(paper.passes.begin(), paper.passes.end(), [](const PaperPass& p) { return p.last_k; });
  const PaperRun first = paper.runs_of(*pass).front();
  const uint32_t cols = paper.ofmap_cols, addr = first.addr;
  const uint32_t row_words = (cols + bus_bytes - 1) / bus_bytes;
  const uint32_t most_bytes = std::min(kMaxBeats * bus_bytes - addr % bus_bytes, kBoundary - addr % kBoundary);
  if (paper.has_means) {
    const uint32_t mean_words = pass->tile_rows * row_words;
    EXPECT_EQ(run.at("store write", 0),
              run.at("post end", 0) + 1 + std::min(first.filters, most_bytes) * mean_words + 3 + 9);
    return;
  }
  const uint32_t run_bytes = first.filters * first.rows * cols, bytes = std::min(run_bytes, most_bytes);
  const uint32_t words = bytes / cols * row_words + (bytes % cols + bus_bytes - 1) / bus_bytes;
  // A run that ends in a beat which its last word begins takes a cycle more.
  const uint32_t end = addr + bytes, last_word = end - 1 - (cols - 1) % bus_bytes;
  const bool trails = bytes == run_bytes && last_word / bus_bytes != (end - 1) / bus_bytes;
  const uint64_t addend = paper.loads_residual ? run.at("load addend", 0) : 0;
  const uint64_t begin = std::max(run.at("post end", 0), addend) + 1;
  EXPECT_EQ(run.at("store write", 0), begin + words + (trails ? 1 : 0) + 3 + (run.test.layer.shape.residual ? 14 : 0));
}

}  // namespace fovea
