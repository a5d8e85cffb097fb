// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the first write burst requested 3 cycles after its last word, as docs/timing.md says?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"

namespace fovea {

/// Two until the sender sees the word, one to begin; 14 more where a residual is added, 9 where means are taken.
void judge_first_write(const LayerRun& run, Tally& /*tally*/) {
  constexpr uint32_t kMaxBeats = 16, kBoundary = 4096;
  const uint32_t bus_bytes = run.machine.bus_bytes;
  const std::vector<PaperPass>& passes = run.paper.passes;
  const auto pass = std::find_if(passes.begin(), passes.end(), [](const PaperPass& p) { return p.last_k; });
  const uint32_t cols = run.paper.ofmap_cols, addr = run.test.layer.ofmap_addr;
  const uint32_t row_words = (cols + bus_bytes - 1) / bus_bytes;
  const uint32_t most_bytes = std::min(kMaxBeats * bus_bytes - addr % bus_bytes, kBoundary - addr % kBoundary);
  if (run.paper.has_means) {
    const uint32_t mean_words = pass->tile_rows * row_words;
    EXPECT_EQ(run.at("store write", 0),
              run.at("post end", 0) + 1 + std::min(pass->filters, most_bytes) * mean_words + 3 + 9);
    return;
  }
  // Runs of all rows of the ofmap are one.
  const uint32_t run_rows = pass->tile_rows * (pass->tile_rows == run.paper.ofmap_rows ? pass->filters : 1);
  const uint32_t bytes = std::min(run_rows * cols, most_bytes);
  const uint32_t words = bytes / cols * row_words + (bytes % cols + bus_bytes - 1) / bus_bytes;
  // A run that ends in a beat which its last word begins takes a cycle more.
  const uint32_t end = addr + bytes, last_word = end - 1 - (cols - 1) % bus_bytes;
  const bool trails = bytes == run_rows * cols && last_word / bus_bytes != (end - 1) / bus_bytes;
  const bool adds = run.test.layer.shape.residual;
  const uint64_t begin = std::max(run.at("post end", 0), adds ? run.at("load addend", 0) : 0) + 1;
  EXPECT_EQ(run.at("store write", 0), begin + words + (trails ? 1 : 0) + 3 + (adds ? 14 : 0));
}

}  // namespace fovea
