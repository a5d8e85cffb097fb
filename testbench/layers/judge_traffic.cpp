// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does the RTL move the bytes and take the passes that a walk over the loops counts, and has each cycle one cause?
#include <gtest/gtest.h>

#include "bench/expected_traffic.h"
#include "judges.h"

namespace fovea {

void judge_traffic(const LayerRun& run, Tally& /*tally*/) {
  const dla_counters& n = run.rtl.counters;
  const ExpectedTraffic expected = expect_traffic(run.machine, run.test.layer);
  EXPECT_EQ(n.write_bytes, expected.write_bytes);
  EXPECT_EQ(n.ifmap_read_bytes, expected.ifmap_read_bytes);
  EXPECT_EQ(n.filter_read_bytes, expected.filter_read_bytes);
  EXPECT_EQ(n.residual_read_bytes, expected.residual_read_bytes);
  EXPECT_EQ(n.passes, expected.passes);
  EXPECT_EQ(n.compute_cycles + n.psum_cycles + n.filter_cycles + n.ifmap_cycles + n.dram_cycles + n.output_cycles +
                n.control_cycles,
            n.cycles);
}

}  // namespace fovea
