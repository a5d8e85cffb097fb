// SPDX-License-Identifier: Apache-2.0
/// \file
/// Energy of an access: the papers' figures at the papers' sizes, and how it follows size and width.
#include "access_energy.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(AccessEnergy, IsThePapersAtThePapersSizes) {
  const EnergyCosts eyeriss;
  EXPECT_DOUBLE_EQ(memory_access_energy(eyeriss, 512, 16), 1);
  EXPECT_DOUBLE_EQ(memory_access_energy(eyeriss, 100 * 1024, 16), 6);
  EXPECT_EQ(eyeriss.mac, 1);
  EXPECT_EQ(eyeriss.pe, 2);
  EXPECT_EQ(eyeriss.dram, 200);
}

TEST(AccessEnergy, IsThePapersMachineForOneOfItsSizesAndWidths) {
  // Spads of 256 B, twice, and one bank of 100 KB; words of 16 bits where the machine has words.
  const dla_machine machine = {12, 14, 256, 256, 24, 102400, 102400, 2, 1, 1, 2, 128};
  const AccessEnergy energy = price_accesses({}, machine);
  EXPECT_DOUBLE_EQ(energy.filter_spad_read, 1);
  EXPECT_DOUBLE_EQ(energy.glb_word, 6);
  EXPECT_DOUBLE_EQ(2 * energy.dram_byte, 200);
  EXPECT_DOUBLE_EQ(2 * energy.operand_hop, 2) << "two operands of 8 bits are a word of 16";
  EXPECT_DOUBLE_EQ(energy.psum_hop, 4) << "32 bits are two words of 16";
  EXPECT_DOUBLE_EQ(4 * energy.mac, 1);
}

TEST(AccessEnergy, FollowsSizeAndWidth) {
  const EnergyCosts eyeriss;
  EXPECT_DOUBLE_EQ(memory_access_energy(eyeriss, 2048, 64), 4 * memory_access_energy(eyeriss, 2048, 16));
  // A size that is the geometric mean of two costs the geometric mean.
  EXPECT_NEAR(memory_access_energy(eyeriss, 7241, 16), 2.449, 0.001);
  EXPECT_LT(memory_access_energy(eyeriss, 96, 16), 1);
  EXPECT_GT(memory_access_energy(eyeriss, 1 << 20, 16), 6);
}

TEST(AccessEnergy, TakesTheMachineFilesCosts) {
  const EnergyCosts costs = {2, 3, 5, 24, 80};
  EXPECT_DOUBLE_EQ(memory_access_energy(costs, 512, 16), 3);
  EXPECT_DOUBLE_EQ(memory_access_energy(costs, 102400, 32), 48);
  const AccessEnergy energy = price_accesses(costs, {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128});
  EXPECT_DOUBLE_EQ(energy.mac, 0.5);
  EXPECT_DOUBLE_EQ(energy.operand_hop, 2.5);
  EXPECT_DOUBLE_EQ(energy.dram_byte, 40);
}

/// The bank of the 6 x 8 machine: 2 KB of 32 bits, four times the register file, twice its width.
TEST(AccessEnergy, OfTheShippedBanks) {
  const AccessEnergy small = price_accesses({}, {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128});
  EXPECT_NEAR(small.glb_word, 2 * 1.598, 0.001);
  EXPECT_NEAR(small.filter_spad_read, 2 * 0.568, 0.001) << "96 B of 32 bits";
  EXPECT_NEAR(small.ifmap_spad, 0.355 / 2, 0.001) << "24 B, of which one byte";
  const AccessEnergy large = price_accesses({}, {12, 14, 12, 224, 24, 110592, 2048, 8, 2, 4, 8, 128});
  EXPECT_DOUBLE_EQ(large.glb_word, 2 * small.glb_word);
}

}  // namespace
}  // namespace fovea
