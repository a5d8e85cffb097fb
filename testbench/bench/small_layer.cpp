// SPDX-License-Identifier: Apache-2.0
/// \file
/// One small layer that every machine that ships can run, to start from or to show that a device still works.
#include "small_layer.h"

#include <gtest/gtest.h>

#include "direct_convolution.h"

namespace fovea {

LayerCase small_layer(const dla_machine& machine) {
  LayerCase test;
  dla_layer& layer = test.layer;
  dla_shape& s = layer.shape;
  s.C = s.H = s.W = s.M = 8;
  s.R = s.S = 3;
  s.U = s.V = s.pad_top = s.pad_left = s.pad_bottom = s.pad_right = 1;
  layer.mapping = {8, 1, 4, 4, 4, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, 0};
  layer.quant.shift = 9;
  layer.quant.lowest = layer.quant.ifmap_zero_point = layer.quant.ofmap_zero_point = 128;
  EXPECT_EQ(dla_plan_glb(&machine, &layer.shape, &layer.mapping, &layer.glb), kDlaErrorNone);
  for (uint32_t i = 0; i < 8 * 8 * 8; ++i) {
    test.ifmap.push_back(static_cast<uint8_t>(i * 37 + i / 7));
  }
  for (uint32_t i = 0; i < 8 * 8 * 3 * 3; ++i) {
    test.filter.push_back(static_cast<int8_t>(i * 53 + i / 5));
  }
  for (int32_t m = 0; m < 8; ++m) {
    test.bias.push_back(1000 * m - 3000);
  }
  return test;
}

void expect_usable(DeviceBench& bench) {
  LayerCase test = small_layer(bench.machine());
  const LayerOutcome outcome = bench.run(test);
  ASSERT_EQ(outcome.status, kDlaOk) << dla_status_text(outcome.status);
  ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
  EXPECT_EQ(outcome.ofmap, convolve_directly(test));
}

}  // namespace fovea
