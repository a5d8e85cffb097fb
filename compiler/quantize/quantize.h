// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a float network and inputs for it to a quantized network, and what became of its values.
#pragma once

#include <string>
#include <vector>

#include "layerwise_run.h"

namespace fovea {

/// A node, "" where ONNX has none of it, and its operator.
struct QuantizedPart {
  std::string name, operation;
};

/// A value that became integers, by the node that makes it.
struct QuantizedLayer {
  std::string name, operation;
  std::vector<QuantizedPart> parts;  ///< What is computed together up to it, it last; none of an input.
  bool moves;                        ///< It only moves elements.
  Calibration method;                ///< Never kBest.
  Quantization quantization;
  double decibels = 0;  ///< Signal to quantization noise.
};

/// A node that stayed float.
struct FloatLayer {
  std::string name, operation, why;
};

/// How near an output of the quantized network is to the float one's.
struct QuantizedOutput {
  std::string name;
  double decibels = 0;
  std::size_t same_largest = 0;  ///< Inputs for which the largest element is at the same place.
  std::size_t elements = 0;
};

struct QuantizationReport {
  std::vector<QuantizedLayer> layers;
  std::vector<FloatLayer> floats;
  std::vector<QuantizedOutput> outputs;
  std::size_t inputs = 0;
  std::string note;  ///< On what it was calibrated on, or "".
};

struct QuantizationResult {
  Graph graph;  ///< In QDQ form.
  QuantizationReport report;
};

/// A float network as quantization wants it: constants computed, reshapes and transposes moved out of the way, batch
/// normalization in the convolutions, ReLUs before pools. UserError where it is quantized already.
Graph simplify_float_network(const Graph& imported);

/// \pre `network` is of simplify_float_network(). UserError as plan_quantization() and calibrate().
QuantizationResult quantize_network(const Graph& network, const std::vector<CalibrationInput>& inputs,
                                    const QuantizeOptions& options, const SayProgress& progress);

}  // namespace fovea
