// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers of the sizes that networks have, each with a mapping drawn from all that fit.
#include "random_pairs.h"

#include <cmath>

namespace fovea {
/// Each octave as likely as the others.
uint32_t RandomPairs::log_uniform(uint32_t first, uint32_t last) {
  const double octaves = std::log2(static_cast<double>(last) / first);
  return static_cast<uint32_t>(std::lround(first * std::exp2(octaves * random_.between(0, 1000) / 1000)));
}

dla_shape RandomPairs::draw_shape() {
  constexpr uint32_t kSizes[] = {1, 3, 3, 3, 5, 7, 11};
  for (;;) {
    dla_shape s{};
    s.U = 1;
    s.C = log_uniform(1, 256);
    s.M = log_uniform(4, 256);
    if (random_.one_in(5)) {
      s.R = s.S = s.H = s.W = random_.between(1, 8);
    } else {
      s.R = s.S = kSizes[random_.between(0, 6)];
      s.U = s.R == 11 ? 4 : random_.one_in(5) ? 2 : 1;
      s.PAD = random_.one_in(4) ? 0 : std::min(5u, s.R / 2);
      s.H = s.W = log_uniform(std::max(4u, s.R), 56);
      s.pool = random_.one_in(4) && (s.H + 2 * s.PAD - s.R) / s.U >= 1;
    }
    if (count_macs(s) >= (s.H == s.R ? kLeastMacs / 10 : kLeastMacs) && count_macs(s) <= most_macs_) {
      return s;
    }
  }
}

LayerCase RandomPairs::draw() {
  for (;;) {
    if (std::optional<LayerCase> pair = random_.draw_for(draw_shape())) {
      pair->ifmap_offset = pair->ofmap_offset = 0;  // As the compiler places tensors.
      return *pair;
    }
  }
}

}  // namespace fovea
