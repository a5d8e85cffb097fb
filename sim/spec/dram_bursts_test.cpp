// SPDX-License-Identifier: Apache-2.0
/// \file
/// A burst priced at once against the same burst beat by beat.
#include "dram_bursts.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(DramBursts, LastBeatComesAfterAllBefore) {
  for (const auto& name : dram_preset_names()) {
    for (const uint32_t seed : {0u, 7u}) {
      DramPreset preset = dram_preset(name);
      preset.gap_seed = seed;
      DramBursts bursts(preset, 8);
      for (uint32_t beats = 1; beats <= 64; ++beats) {
        bursts.first_beat(kDramRead, {0, 0, beats}, 0);
        uint64_t cycles = 0;
        for (uint32_t beat = 1; beat < beats; ++beat) {
          cycles += bursts.to_beat(kDramRead, beat);
        }
        ASSERT_EQ(bursts.to_last_beat(kDramRead, beats), cycles) << name << ", seed " << seed << ", beats " << beats;
      }
    }
  }
}

}  // namespace
}  // namespace fovea
