// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do loads take their cycles: a job and its first run one each once the job is seen, a chunk's token 2 after its beat?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"
#include "spec/dram_preset.h"

namespace fovea {

void judge_loads(const LayerRun& run, Tally& tally) {
  const dla_shape& s = run.test.layer.shape;
  if (s.ifmap_on_chip && s.filters_on_chip && (!s.residual || s.residual_on_chip)) {
    EXPECT_TRUE(run.events.of("seq load").empty());
    ++tally.seen["a layer loads nothing"];
    return;
  }
  EXPECT_EQ(run.at("load read", 0), run.at("seq load", 0) + 1 + 1 + 1);
  EXPECT_GE(run.at("load end", 0), run.at("load read", 0) + dram_preset(run.scenario.dram).read_latency);
  // Each chunk's token follows a last beat; all beats of a layer end with a token.
  const std::vector<uint64_t>& ends = run.events.of("load end");
  uint64_t last_token = 0;
  for (const char* token : {"load ifmap", "load filter", "load addend"}) {
    for (const uint64_t cycle : run.events.of(token)) {
      EXPECT_TRUE(std::binary_search(ends.begin(), ends.end(), cycle - 1)) << token << " in " << cycle;
      last_token = std::max(last_token, cycle);
    }
  }
  ASSERT_FALSE(ends.empty());
  EXPECT_EQ(last_token - 1, ends.back());
}

}  // namespace fovea
