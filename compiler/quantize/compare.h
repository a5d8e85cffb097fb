// SPDX-License-Identifier: Apache-2.0
/// \file
/// Holds a quantized network against the float one, value by value, and corrects its biases on the way.
#pragma once

#include <vector>

#include "layerwise_run.h"

namespace fovea {

/// Sums of squares: of what should be, and of what differs from it.
struct Noise {
  double signal = 0, noise = 0;
  /// Signal to quantization noise in decibels; infinite where nothing differs.
  double decibels() const;
};

/// Of an output of the network.
struct OutputAgreement {
  Noise noise;
  std::size_t same_largest = 0;  ///< Inputs for which the largest element is at the same place.
};

struct FloatComparison {
  std::vector<Noise> nodes;              ///< By node; of those that have a scale.
  std::vector<OutputAgreement> outputs;  ///< In the network's order.
};

/// Runs both networks on all inputs. \param corrects_bias  Each product's bias is first changed by the mean, over the
/// inputs that are run together first, of what float and quantized sums differ by, filter by filter.
FloatComparison compare_with_float(QuantizedNetwork& network, std::span<const CalibrationInput> inputs,
                                   bool corrects_bias, const SayProgress& progress);

}  // namespace fovea
