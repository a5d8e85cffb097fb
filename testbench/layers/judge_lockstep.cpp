// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree on the layer's results, cycles, causes, bytes, accesses and on every event of it?
#include <gtest/gtest.h>

#include "judges.h"

namespace fovea {

void judge_lockstep(const LayerRun& run, Tally& /*tally*/) {
  expect_equal(run.rtl, run.systemc);
  EXPECT_EQ(run.rtl_cycles, run.systemc_cycles) << "since reset";
  EXPECT_EQ(run.trace_difference, "") << "the traces differ";
}

}  // namespace fovea
