// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a layer must move and how many passes it must take, counted by walking its loops.
#pragma once

#include <cstdint>

#include "spec/dla_layer.h"

namespace fovea {

struct ExpectedTraffic {
  uint64_t ifmap_read_bytes = 0;     ///< Whole bus words that each run of rows touches; none of a tensor on chip.
  uint64_t filter_read_bytes = 0;    ///< The filter stream, once a tile of e_glb rows; what stays in the GLB, once.
  uint64_t write_bytes = 0;          ///< The ofmap, once.
  uint64_t residual_read_bytes = 0;  ///< Whole bus words that each run of an output tile touches.
  uint64_t passes = 0;
};

/// \pre dla_check_layer() accepts the layer.
ExpectedTraffic expect_traffic(const dla_machine& machine, const dla_layer& layer);

}  // namespace fovea
