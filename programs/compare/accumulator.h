// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a layer adds up for one element of its output, computed again from its input and its weights.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer.h"

namespace fovea {

/// Accumulators of element `place` of the layer's output, biases included: one; of a pool each under its window; of a
/// mean all of the channel. int32 of quantized layers, exact; of float32 ones the sum in double. None where the layer
/// adds up nothing.
/// \param x  The layer's first input, of its element type, without the batch.
std::vector<double> accumulators_at(const Layer& layer, const Tensor& x, std::size_t place);

/// What an accumulator of 1 stands for at this place: sx * sw[m]; 1 of float32 layers.
double accumulator_step(const Layer& layer, std::size_t place);

/// The byte that the layer makes of its accumulators; nothing for float32 layers and means.
/// \param residual  The second input's byte at this place, where the layer adds one.
std::optional<uint8_t> requantized(const Layer& layer, const std::vector<double>& accumulators, std::size_t place,
                                   std::optional<uint8_t> residual, dla_rounding rounding);

/// What the two layers compute with that is not the same: "weights of filter 3", "bias 3", "pads", ...
/// \param place  Of the output's element, by which filter is meant.
std::vector<std::string> settings_that_differ(const Layer& a, const Layer& b, std::size_t place);

}  // namespace fovea
