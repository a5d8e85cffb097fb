// SPDX-License-Identifier: Apache-2.0
/// \file
/// One small layer that every machine that ships can run, to start from or to show that a device still works.
#pragma once

#include "device_bench.h"

namespace fovea {

/// 8 channels of 8x8, 8 filters of 3x3; two chunks of channels, two groups of filters; with data.
LayerCase small_layer(const dla_machine& machine);

/// Runs the small layer and expects its answer.
void expect_usable(DeviceBench& bench);

}  // namespace fovea
