// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers of the sizes that networks have, each with a mapping drawn from all that fit.
#pragma once

#include "random_layer.h"

namespace fovea {

/// Draws (layer, mapping) pairs from one seeded source. Layers: filters of 1 to 11 rows and columns (odd, and most of
/// them square, as networks have them), stride 1 or 2 (4 with 11x11), of one in eight another along the rows, padding
/// on all sides or one more behind, C and M up to 256, one in three grouped, most of these depthwise, ifmaps up to
/// 56x56, one in five fully connected; requantized in each way, with a table, a pool or a residual; kLeastMacs to
/// `most_macs` multiplications, a tenth where a byte is multiplied a few times only. The mapping is any that fits,
/// however poor.
class RandomPairs {
 public:
  static constexpr uint64_t kLeastMacs = 500'000;

  RandomPairs(const dla_machine& machine, uint64_t seed, uint64_t most_macs = 20'000'000,
              Places places = Places::kDense)
      : random_(machine, seed, places), most_macs_(most_macs) {}

  LayerCase draw();

 private:
  void draw_window(dla_shape& shape);
  void draw_groups(dla_shape& shape);
  dla_shape draw_shape();
  uint32_t log_uniform(uint32_t first, uint32_t last);

  RandomLayers random_;
  uint64_t most_macs_;
};

}  // namespace fovea
