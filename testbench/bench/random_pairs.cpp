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

/// Filter, strides and pads. Most are square; SAME padding of a stride of 2 puts the odd row and column behind.
void RandomPairs::draw_window(dla_shape& s) {
  constexpr uint32_t kSizes[] = {1, 3, 3, 3, 5, 7, 11};
  s.R = s.S = kSizes[random_.between(0, 6)];
  if (random_.one_in(8)) {
    (random_.one_in(2) ? s.R : s.S) = kSizes[random_.between(0, 6)];
  }
  s.U = s.V = s.R == 11 ? 4 : random_.one_in(5) ? 2 : 1;
  if (random_.one_in(8)) {
    s.V = 3 - std::min(s.U, 2u);
  }
  if (random_.one_in(4)) {
    return;
  }
  const bool odd_behind = random_.one_in(3);
  s.pad_top = (s.R - (odd_behind ? std::min(s.U, s.R) : 1)) / 2;
  s.pad_left = (s.S - (odd_behind ? std::min(s.V, s.S) : 1)) / 2;
  s.pad_bottom = odd_behind ? s.R - std::min(s.U, s.R) - s.pad_top : s.pad_top;
  s.pad_right = odd_behind ? s.S - std::min(s.V, s.S) - s.pad_left : s.pad_left;
}

/// Depthwise, mostly of one filter a channel, or of a few groups.
void RandomPairs::draw_groups(dla_shape& s) {
  if (random_.one_in(3)) {
    s.G = random_.between(2, 8);
    s.C = log_uniform(2, 32);
    s.M = log_uniform(2, 32);
  } else {
    s.G = log_uniform(8, 512);
    s.C = 1;
    s.M = random_.one_in(4) ? 2 : 1;
  }
}

dla_shape RandomPairs::draw_shape() {
  for (;;) {
    dla_shape s{};
    s.U = s.V = 1;
    s.C = log_uniform(1, 256);
    s.M = log_uniform(4, 256);
    if (random_.one_in(3)) {
      draw_groups(s);
    }
    random_.draw_requantization(s);
    if (s.G == 0 && random_.one_in(5)) {
      s.R = s.S = s.H = s.W = random_.between(1, 8);
    } else {
      draw_window(s);
      s.H = s.W = log_uniform(std::max({4u, s.R, s.S}), 56);
      s.pool = random_.one_in(4) && std::min(dla_unpooled_rows(&s), dla_unpooled_cols(&s)) >= 2;
      s.pool_size = s.pool && random_.one_in(2) && std::min(dla_unpooled_rows(&s), dla_unpooled_cols(&s)) >= 3 ? 3 : 0;
      s.pool_stride = s.pool && random_.one_in(3) ? 1 : 0;
    }
    s.residual = !s.pool && random_.one_in(3);
    s.mean = !s.pool && !s.residual && !s.lookup && random_.one_in(3);
    const bool has_few = s.H == s.R || s.C == 1;
    if (count_unpooled_macs(s) >= (has_few ? kLeastMacs / 10 : kLeastMacs) && count_unpooled_macs(s) <= most_macs_) {
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
