// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does every pass start and end in the cycle that the rules of docs/timing.md give, and not one before or after?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"
#include "timing/pass_clock.h"

namespace fovea {

void judge_passes(const LayerRun& run, Tally& tally) {
  ASSERT_EQ(run.count("array start"), run.paper.passes.size());
  const PassClock clock(run.paper, run.events);
  for (size_t k = 0; k < run.paper.passes.size(); ++k) {
    SCOPED_TRACE("pass " + std::to_string(k));
    const Rules rules = clock.rules(k);
    const auto last = std::max_element(rules.begin(), rules.end());
    EXPECT_EQ(run.at("ifmap window", k), clock.window(k));
    EXPECT_EQ(run.at("array start", k), *last);
    EXPECT_EQ(run.at("array end", k), clock.end(k));
    tally.seen["a pass waits for rule " + std::to_string(last - rules.begin() + 1) + " alone"] +=
        std::count(rules.begin(), rules.end(), *last) == 1;
  }
}

}  // namespace fovea
