// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memories of the machines that ship, counted by hand, and how gates follow the geometry. The fit itself:
/// scripts/synthesis/test.
#include "dla_area.h"

#include <gtest/gtest.h>

#include "machine_json.h"

namespace fovea {
namespace {

dla_machine shipped(const char* name) {
  return read_machine(std::string("sim/spec/machines/") + name + ".json").geometry;
}

TEST(Area, CountsTheMemoriesOfTheSmallMachine) {
  const dla_machine machine = shipped("eyeriss_6x8");
  const dla_area area = dla_estimate_area(&machine);
  ASSERT_EQ(area.memory_count, 5u);
  EXPECT_EQ(area.memories[0].count, 32u);
  EXPECT_EQ(area.memories[0].words, 512u);
  EXPECT_EQ(area.memories[0].bits, 32u);
  // A GLB of 64 KiB, two halves of 48 B in each of 48 PEs, biases of two sets of 128 filters, scales of four, one
  // activation table of 256 B.
  EXPECT_EQ(dla_area_memory_bits(&area), 8u * (65536 + 48 * 2 * 48 + 2 * 128 * 4 + 4 * 128 * 4 + 256));
}

TEST(Area, CountsTheMemoriesOfTheLargeMachine) {
  const dla_machine machine = shipped("eyeriss_12x14");
  const dla_area area = dla_estimate_area(&machine);
  // 108 KiB, two halves of 224 B in each of 168 PEs, and once a lane, of which it has eight, biases of two sets,
  // scales of five, and an activation table.
  EXPECT_EQ(dla_area_memory_bits(&area), 8u * (110592 + 168 * 2 * 224 + 8 * ((2 + 5) * 128 * 4 + 256)));
}

TEST(Area, TakesNoMemoryOfWhatIsTooSmallForOne) {
  dla_machine machine = shipped("eyeriss_6x8");
  machine.filter_spad_bytes = 28;  // Two halves of 28 B are 448 bits.
  const dla_area area = dla_estimate_area(&machine);
  EXPECT_EQ(area.memory_count, 4u);
  EXPECT_EQ(dla_area_memory_bits(&area), 8u * (65536 + (2 + 4) * 128 * 4 + 256));
  EXPECT_EQ(dla_area_least_memory_bits, 512u);
}

/// Every resource costs gates: more of it never makes the machine smaller.
TEST(Area, GrowsWithEachPartOfTheGeometry) {
  const dla_machine machine = shipped("eyeriss_6x8");
  const dla_area area = dla_estimate_area(&machine);
  const double gates = dla_area_gates(&area);
  EXPECT_NEAR(gates, 611e3, 61e3) << "of reports/synthesis.md, within 10 %";
  for (std::uint32_t dla_machine::*field :
       {&dla_machine::rows, &dla_machine::cols, &dla_machine::ifmap_spad_bytes, &dla_machine::glb_bytes,
        &dla_machine::bus_bytes, &dla_machine::psum_lanes, &dla_machine::ifmap_bytes_per_cycle,
        &dla_machine::filter_bytes_per_cycle, &dla_machine::max_pass_filters}) {
    dla_machine larger = machine;
    larger.*field *= 2;
    const dla_area other = dla_estimate_area(&larger);
    EXPECT_GT(dla_area_gates(&other), gates);
  }
}

/// Ten per cent is what the model is held to on machines that it was not fitted to.
TEST(Area, WasCheckedOnOtherMachines) {
  EXPECT_GE(dla_area_checked_on, 3u);
  EXPECT_GT(dla_area_worst_percent, 0);
  EXPECT_LE(dla_area_worst_percent, 10);
}

}  // namespace
}  // namespace fovea
