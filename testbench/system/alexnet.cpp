// SPDX-License-Identifier: Apache-2.0
/// \file
/// AlexNet's convolutions in 8 bits, with weights from a seed.
#include "alexnet.h"

#include <random>

namespace fovea {

AlexNetWeights draw_weights(const AlexNetLayer& layer) {
  const dla_shape& s = layer.shape;
  std::mt19937 source(s.C * 1000 + s.M);
  AlexNetWeights weights;
  weights.filter.resize(size_t{layer.groups} * s.M * s.C * s.R * s.S);
  weights.bias.resize(size_t{layer.groups} * s.M);
  for (int8_t& w : weights.filter) {
    w = static_cast<int8_t>(static_cast<int>(source() % 129) - 64);
  }
  for (int32_t& b : weights.bias) {
    b = static_cast<int32_t>(source() % 20001) - 10000;
  }
  return weights;
}

uint32_t output_size(const AlexNetLayer& layer) {
  const dla_shape& s = layer.shape;
  return dla_unpooled_rows(&s);
}

}  // namespace fovea
