// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a quantized network is to be like.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace fovea {

/// Which numbers scales may be.
enum class ScaleForm { kAny, kPowerOfTwo };

/// How the range of an activation is chosen from what was seen of it. docs/quantization.md has the mathematics.
enum class Calibration {
  kMinMax,      ///< From the least to the most.
  kPercentile,  ///< Without the few values at either end.
  kMse,         ///< With the least mean squared error.
  kBest         ///< Of these, for each scale in turn, the one after which the network's answers are nearest.
};

struct QuantizeOptions {
  ScaleForm scales = ScaleForm::kAny;
  bool is_per_channel = false;  ///< Weights have a scale a filter, not one for all.
  ElementType activations = ElementType::kUint8;
  Calibration calibration = Calibration::kMse;
  double percentile = 99.99;  ///< Of kPercentile: how many percent of the values lie within the range.
  bool corrects_bias = true;
  bool equalizes = false;          ///< Cross-layer equalization.
  bool quantizes_softmax = false;  ///< Else softmax stays float.
  std::vector<std::string> kept;   ///< ONNX names of nodes that stay float.
  std::vector<std::string> only;   ///< ONNX names of the nodes to quantize, whatever they read; none: all.
};

}  // namespace fovea
