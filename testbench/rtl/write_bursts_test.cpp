// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are outputs that follow each other in memory written in as few bursts as hold them?
#include <gtest/gtest.h>

#include "bench/direct_convolution.h"
#include "bench/small_layer.h"

namespace fovea {
namespace {

constexpr uint32_t kMaxBeats = 16;

class WriteBursts : public testing::TestWithParam<Scenario> {
 protected:
  uint32_t count(LayerCase& test) {
    const LayerOutcome outcome = bench.run(test);
    EXPECT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    EXPECT_EQ(outcome.ofmap, convolve_directly(test));
    EXPECT_EQ(outcome.counters.write_bytes, outcome.ofmap.size());
    return outcome.counters.write_bursts;
  }

  /// The small layer with `e` output rows a pass.
  LayerCase with_rows(uint32_t e) {
    LayerCase test = small_layer(bench.machine());
    test.layer.mapping.e = e;
    EXPECT_EQ(dla_plan_glb(&bench.machine(), &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
    return test;
  }

  /// Bursts that hold `bytes` bytes from `addr` on.
  uint32_t bursts_of(uint32_t addr, uint32_t bytes) const {
    const uint32_t bus = bench.machine().bus_bytes, words = (addr % bus + bytes + bus - 1) / bus;
    return (words + kMaxBeats - 1) / kMaxBeats;
  }

  DeviceBench bench{GetParam()};
};

TEST_P(WriteBursts, OfAllRowsHoldAllFiltersOfAPass) {
  LayerCase test = with_rows(8);
  const uint32_t bursts = count(test);
  // Two groups of four filters, 64 bytes each.
  EXPECT_EQ(bursts, 2 * bursts_of(test.layer.ofmap_addr, 4 * 64));
}

TEST_P(WriteBursts, OfSomeRowsHoldOneFilter) {
  LayerCase test = with_rows(4);
  EXPECT_EQ(count(test), 8u * 2u);
}

TEST_P(WriteBursts, OfOnePixelHoldThemAll) {
  LayerCase test;
  test.layer.shape = {4, 1, 1, 10, 1, 1, 1, 1, 0, 0, 0, 0, false};
  test.layer.mapping = {10, 1, 1, 5, 4, 1, 2, 1, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {2, kDlaNearestEven, 0, 128, 128};
  ASSERT_EQ(dla_plan_glb(&bench.machine(), &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap = {120, 130, 140, 150};
  for (int32_t i = 0; i < 40; ++i) {
    test.filter.push_back(static_cast<int8_t>(i * 7 - 100));
  }
  for (int32_t m = 0; m < 10; ++m) {
    test.bias.push_back(m * 11);
  }
  for (const uint32_t offset : {0u, 1u, 3u}) {
    test.ofmap_offset = offset;
    EXPECT_EQ(count(test), 1u) << "offset " << offset;
  }
}

/// A burst ends at a page. The word of the tile that lies on both sides of it has been read for the first burst, and
/// the next tile may come while the second is made.
TEST_P(WriteBursts, OnBothSidesOfAPageHaveTheirOwnTilesBytes) {
  constexpr uint32_t kPage = 4096, kMargin = 64, kFilters = 16, kPlane = 8 * 14, kTile = 2 * 14;
  LayerCase test;
  test.layer.shape = {1, 8, 14, kFilters, 1, 1, 1, 1, 0, 0, 0, 0, false};
  test.layer.mapping = {kFilters, 1, 2, 1, 1, 1, kFilters, 8, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {0, kDlaNearestEven, 0, 0, 128};
  ASSERT_EQ(dla_plan_glb(&bench.machine(), &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  for (uint32_t i = 0; i < kPlane; ++i) {
    test.ifmap.push_back(static_cast<uint8_t>(i));
  }
  for (uint32_t m = 0; m < kFilters; ++m) {
    test.filter.push_back(static_cast<int8_t>(m % 2 == 0 ? 1 : -1));
    test.bias.push_back(static_cast<int32_t>(5 * m));
  }
  for (uint32_t tile = 0; tile < 3; ++tile) {
    for (uint32_t behind = 1; behind < bench.machine().bus_bytes; ++behind) {
      const uint32_t end_of_last_run = kMargin + (kFilters - 1) * kPlane + (tile + 1) * kTile;
      test.ofmap_offset = 2 * kPage - end_of_last_run + behind;
      test.ofmap_offset %= kPage;
      count(test);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, WriteBursts, testing::ValuesIn(all_scenarios()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace fovea
