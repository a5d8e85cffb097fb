// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses a method of calibration for each scale of a network.
#pragma once

#include <vector>

#include "histogram.h"
#include "layerwise_run.h"

namespace fovea {

/// Gives the network its scales, by the method of `options`. kBest begins with the least mean squared error; then each
/// scale in turn takes the method after which the network's outputs are nearest to the float ones, on a few inputs.
/// \return the method of each scale.
std::vector<Calibration> choose_scales(QuantizedNetwork& network, const std::vector<Histogram>& seen,
                                       std::span<const CalibrationInput> inputs, const QuantizeOptions& options,
                                       const SayProgress& progress);

}  // namespace fovea
