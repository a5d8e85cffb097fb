// SPDX-License-Identifier: Apache-2.0
/// \file
/// The wave window opens at its first cycle and closes after its last.
#include "wave_window.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

WaveOptions window(const std::string& layer, uint64_t from, uint64_t cycles) {
  WaveOptions options;
  options.layer = layer;
  options.from_cycle = from;
  options.cycles = cycles;
  return options;
}

TEST(WaveWindow, IsAlwaysOpenByDefault) {
  const WaveWindow waves(window("", 0, 0));
  EXPECT_TRUE(waves.contains(0));
  EXPECT_TRUE(waves.contains(1'000'000'000'000));
}

TEST(WaveWindow, CountsFromReset) {
  WaveWindow waves(window("", 10, 5));
  waves.note_layer("conv1", 3);
  EXPECT_FALSE(waves.contains(9));
  EXPECT_TRUE(waves.contains(10));
  EXPECT_TRUE(waves.contains(14));
  EXPECT_FALSE(waves.contains(15));
}

TEST(WaveWindow, CountsFromTheStartOfItsLayer) {
  WaveWindow waves(window("conv2", 10, 5));
  EXPECT_FALSE(waves.contains(12));
  waves.note_layer("conv1", 100);
  EXPECT_FALSE(waves.contains(112));
  waves.note_layer("conv2", 200);
  EXPECT_FALSE(waves.contains(209));
  EXPECT_TRUE(waves.contains(210));
  EXPECT_TRUE(waves.contains(214));
  EXPECT_FALSE(waves.contains(215));
}

TEST(WaveWindow, ClosesWithItsLayerAndOpensWhenItRunsAgain) {
  WaveWindow waves(window("conv2", 0, 0));
  waves.note_layer("conv2", 200);
  EXPECT_TRUE(waves.contains(300));
  waves.note_layer("conv3", 301);
  EXPECT_FALSE(waves.contains(301));
  waves.note_layer("conv2", 400);
  EXPECT_TRUE(waves.contains(400));
}

TEST(WaveWindow, SaysWhenItOpensAndCloses) {
  WaveWindow waves(window("conv2", 10, 5));
  EXPECT_EQ(waves.next_change(0), WaveWindow::kNever);
  waves.note_layer("conv2", 200);
  EXPECT_EQ(waves.next_change(200), 210u);
  EXPECT_EQ(waves.next_change(210), 215u);
  EXPECT_EQ(waves.next_change(215), WaveWindow::kNever);
  EXPECT_EQ(WaveWindow(window("", 0, 0)).next_change(7), WaveWindow::kNever);
}

TEST(WaveWindow, BeginsWithItsTriggerInItsLayer) {
  WaveOptions options = window("conv2", 10, 5);
  options.trigger = "write=20";
  WaveWindow waves(options);
  waves.note({3, TransactionKind::kRegisterWrite, 20});
  waves.note_layer("conv2", 200);
  waves.note({209, TransactionKind::kRegisterWrite, 20});
  EXPECT_FALSE(waves.contains(209));
  waves.note({230, TransactionKind::kRegisterWrite, 20});
  waves.note_layer("conv3", 232);
  for (uint64_t cycle : {229, 235}) {
    EXPECT_FALSE(waves.contains(cycle));
  }
  for (uint64_t cycle : {230, 234}) {
    EXPECT_TRUE(waves.contains(cycle)) << "its whole length, whatever layer runs";
  }
}

TEST(WaveWindow, ExplainsWhyNothingWasDumped) {
  WaveOptions options = window("conv2", 100, 5);
  options.path = "a.vcd";
  WaveWindow late(options);
  late.note_layer("conv1", 0);
  EXPECT_EQ(late.explain_empty(50),
            "conv2: no layer of that name runs on the device; choose conv1; did you mean conv1?");
  late.note_layer("conv2", 50);
  late.note_layer("conv3", 140);
  EXPECT_EQ(late.explain_empty(500), "a.vcd: no waves: the window begins in cycle 100, and conv2 takes 90");
  options.trigger = "stall=9";
  WaveWindow calm(options);
  calm.note_layer("conv2", 0);
  EXPECT_EQ(calm.explain_empty(500), "a.vcd: no waves: stall=9 did not come");
  options = window("", 600, 0);
  options.path = "b.fst";
  EXPECT_EQ(WaveWindow(options).explain_empty(500),
            "b.fst: no waves: the window begins in cycle 600, and the run takes 500");
}

}  // namespace
}  // namespace fovea
