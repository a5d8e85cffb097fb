// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do the mapper's access counts equal the device's counters?
#include <gtest/gtest.h>

#include "judges.h"
#include "mapping/mapper.h"

namespace fovea {

void judge_access_counts(const LayerRun& run, Tally& /*tally*/) {
  if (!run.is_as_compiled) {
    return;
  }
  const dla_counters& n = run.rtl.counters;
  const AccessCounts counts = count_accesses(run.machine, run.test.layer.shape, run.test.layer.mapping);
  EXPECT_EQ(counts.dram_bytes.ifmap, n.ifmap_read_bytes);
  EXPECT_EQ(counts.dram_bytes.filter, n.filter_read_bytes);
  EXPECT_EQ(counts.dram_bytes.residual, n.residual_read_bytes);
  EXPECT_EQ(counts.dram_bytes.ofmap, n.write_bytes);
  EXPECT_EQ(counts.glb_reads.total(), n.glb_read_words);
  EXPECT_EQ(counts.glb_writes.total(), n.glb_write_words);
}

}  // namespace fovea
