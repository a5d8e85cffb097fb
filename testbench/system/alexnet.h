// SPDX-License-Identifier: Apache-2.0
/// \file
/// AlexNet's convolutions in 8 bits, with weights from a seed: the network that the Eyeriss chip was measured on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// A convolution with ReLU, zero points 128. Groups as in Krizhevsky et al., NIPS 2012: each sees C channels of its own
/// and makes M.
struct AlexNetLayer {
  const char* name;
  dla_shape shape;  ///< Of one group.
  uint32_t groups;
  uint32_t shift;    ///< Of requantization: the outputs then spread over uint8.
  bool pools_after;  ///< 3x3, stride 2, a layer of its own.
};

inline constexpr std::array<AlexNetLayer, 5> kAlexNet = {{
    {"conv1",
     {3, 227, 227, 96, 11, 11, 4, 4, 0, 0, 0, 0, false, false, false, 0, false, 0, 0, 0, 0, 0, 0, false, false},
     1,
     10,
     true},
    {"conv2",
     {48, 27, 27, 128, 5, 5, 1, 1, 2, 2, 2, 2, false, false, false, 0, false, 0, 0, 0, 0, 0, 0, false, false},
     2,
     11,
     true},
    {"conv3",
     {256, 13, 13, 384, 3, 3, 1, 1, 1, 1, 1, 1, false, false, false, 0, false, 0, 0, 0, 0, 0, 0, false, false},
     1,
     11,
     false},
    {"conv4",
     {192, 13, 13, 192, 3, 3, 1, 1, 1, 1, 1, 1, false, false, false, 0, false, 0, 0, 0, 0, 0, 0, false, false},
     2,
     11,
     false},
    {"conv5",
     {192, 13, 13, 128, 3, 3, 1, 1, 1, 1, 1, 1, false, false, false, 0, false, 0, 0, 0, 0, 0, 0, false, false},
     2,
     11,
     false},
}};

/// Weights of a layer, the same in every run.
struct AlexNetWeights {
  std::vector<int8_t> filter;  ///< [groups M, C, R, S].
  std::vector<int32_t> bias;   ///< [groups M].
};

AlexNetWeights draw_weights(const AlexNetLayer& layer);

/// Rows and columns of the ofmap.
uint32_t output_size(const AlexNetLayer& layer);

}  // namespace fovea
