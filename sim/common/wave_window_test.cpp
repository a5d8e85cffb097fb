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

}  // namespace
}  // namespace fovea
