// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks of quantized convolutions, drawn by a seed, into which a fault can be planted.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace fovea {

/// quantize(pool?(relu?(conv(dequantize(x), w) + b))): the layer "conv<k>". All scales are powers of two.
struct PlantedConv {
  int64_t M = 1, C = 1, kernel = 1;
  std::array<int64_t, 4> pads{};  ///< Top, left, bottom, right.
  std::vector<int64_t> weights;   ///< [M, C, kernel, kernel] int8.
  std::vector<float> biases;
  float x_scale = 1, w_scale = 1, y_scale = 1;
  int64_t x_zero = 128, y_zero = 128;
  bool relu = false, pool = false;
  int residual = -1;  ///< The convolution whose output is added behind it, in float32 and then quantized; -1: none.
  float sum_scale = 1;
};

/// Convolutions in a row, the last one dequantized.
struct PlantedNetwork {
  std::vector<int64_t> input_shape;  ///< [1, C, H, W].
  float input_scale = 1;
  std::vector<PlantedConv> convs;
};

enum class Fault { kWeight, kScale, kZeroPoint, kPad, kRounding };

PlantedNetwork draw_planted(std::mt19937& random);

/// Draws a layer and changes one thing of it. \return its place. kRounding changes nothing here: the code's rounding is
/// what plant_rounding() changes.
std::size_t plant(Fault fault, PlantedNetwork& network, std::mt19937& random);

/// Rounds one convolution's results down, in a compiled network's model.c. \return whether the call was found.
bool plant_rounding(const std::filesystem::path& code, const std::string& layer);

/// Numbers for its input.
std::vector<float> draw_input(const PlantedNetwork& network, std::mt19937& random);

/// Writes it as ONNX in QDQ form.
void write_planted(const PlantedNetwork& network, const std::filesystem::path& path);

}  // namespace fovea
