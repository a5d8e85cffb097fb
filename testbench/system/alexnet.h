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

/// A square ifmap, padding all around it.
constexpr dla_shape square_shape(uint32_t C, uint32_t rows, uint32_t M, uint32_t filter, uint32_t stride,
                                 uint32_t pad) {
  dla_shape shape{};
  shape.C = C;
  shape.H = shape.W = rows;
  shape.M = M;
  shape.R = shape.S = filter;
  shape.U = shape.V = stride;
  shape.pad_top = shape.pad_left = shape.pad_bottom = shape.pad_right = pad;
  return shape;
}

inline constexpr std::array<AlexNetLayer, 5> kAlexNet = {{
    {"conv1", square_shape(3, 227, 96, 11, 4, 0), 1, 10, true},
    {"conv2", square_shape(48, 27, 128, 5, 1, 2), 2, 11, true},
    {"conv3", square_shape(256, 13, 384, 3, 1, 1), 1, 11, false},
    {"conv4", square_shape(192, 13, 192, 3, 1, 1), 2, 11, false},
    {"conv5", square_shape(192, 13, 128, 3, 1, 1), 2, 11, false},
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
