// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do filter sets start and end in the cycles of docs/timing.md?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"

namespace fovea {

/// A set starts when its chunk is in the GLB, it is queued, the set before has moved and a half of the spads is free;
/// and takes its words.
void judge_filter_sets(const LayerRun& run, Tally& tally) {
  uint64_t start_of_set_before = 0;
  for (size_t k = 0; k < run.paper.passes.size(); ++k) {
    const PaperPass& pass = run.paper.passes[k];
    if (!pass.new_set) {
      continue;
    }
    const uint64_t queued = run.at("seq pass", k) + 1;
    const uint64_t chunk = pass.chunk == PaperPass::kOnChip ? 0 : run.at("load filter", pass.chunk) + 1;
    const uint64_t moved = pass.set == 0 ? 0 : run.at("filter end", pass.set - 1) + 1;
    // The set before last is given up by the pass that starts on the last one.
    const uint64_t half = pass.set < 2 ? 0 : start_of_set_before + 1;
    const uint64_t start = std::max({queued, chunk, moved, half});
    EXPECT_EQ(run.at("filter start", pass.set), start);
    EXPECT_EQ(run.at("filter end", pass.set), start + pass.set_words);
    tally.seen["a filter set waits for its chunk"] += chunk == start;
    tally.seen["a filter set waits for a half of the spads"] += half == start;
    tally.seen["a filter set waits for the set before"] += moved == start;
    start_of_set_before = run.at("array start", k);
  }
}

}  // namespace fovea
