// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers so short that rules hold them back which others hide in layers drawn at random.
#include "directed_layers.h"

#include <gtest/gtest.h>

namespace fovea {

LayerCase short_passes(const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {2, 8, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, false};
  test.layer.mapping = {1, 1, 1, 1, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {0, kDlaFloor, 0, 128, 128};
  EXPECT_EQ(dla_plan_glb(&machine, &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.assign(16, 130);
  test.filter.assign(2, 1);
  test.bias.assign(1, 0);
  return test;
}

LayerCase short_tiles(const dla_machine& machine) {
  LayerCase test;
  dla_shape& s = test.layer.shape;
  s.C = s.M = s.W = s.R = s.S = s.U = s.V = 1;
  s.H = 8;
  s.residual = true;
  test.layer.mapping = {1, 1, 1, 1, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels, 0};
  test.layer.quant.conv_scale = test.layer.quant.residual_scale = 1;
  EXPECT_EQ(dla_plan_glb(&machine, &s, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.assign(8, 3);
  test.filter.assign(1, 1);
  test.bias.assign(1, 0);
  test.residual.assign(8, 2);
  return test;
}

}  // namespace fovea
